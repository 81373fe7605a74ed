#include "operators/llm/sampling.hpp"

#include <fmt/format.h>

#include <array>

#include "core/text.hpp"

namespace ke {
namespace {

constexpr std::array<std::string_view, 4> names{"temperature", "top_p", "seed", "effort"};

/// Whether the value of `name` is read: when it is given, or when options are listed.
bool is_read(const Params& params, std::string_view name) {
  return params.has(name) || params.node() == nullptr;
}

template <typename T>
std::string number(Params& params, std::string_view name, Range<T> range, std::string_view doc) {
  if (!is_read(params, name)) return "";
  const std::string text = params.text(name, "", doc);
  const auto value = number_from<T>(text);
  if (value && *value >= range.low && *value <= range.high) return fmt::format("{}", *value);
  if (params.has(name)) {
    params.fail(name, fmt::format("= {} is not a number in [{}, {}]", text, range.low, range.high));
  }
  return "";
}

std::string effort(Params& params) {
  if (!is_read(params, "effort")) return "";
  const std::string text =
      params.text("effort", "",
                  "how much the model reasons: none, minimal, low, medium, high, xhigh or max, as "
                  "far as it knows them; sent only if given");
  for (const char* known : {"none", "minimal", "low", "medium", "high", "xhigh", "max"}) {
    if (text == known) return text;
  }
  if (params.has("effort")) {
    params.fail("effort",
                fmt::format("= {} is none of none, minimal, low, medium, high, xhigh, max", text));
  }
  return "";
}

}  // namespace

std::span<const std::string_view> sampling_names() { return names; }

std::map<std::string, std::string> read_sampling(Params& params) {
  std::map<std::string, std::string> settings{
      {"temperature", number<double>(params, "temperature", {0, 2},
                                     "of the model's sampling, from 0 to 2; sent only if given")},
      {"top_p", number<double>(params, "top_p", {0, 1},
                               "share of probability that is sampled from; sent only if given")},
      {"seed", number<std::int64_t>(params, "seed", {0, 2'147'483'647},
                                    "of the model's sampling; sent only if given")},
      {"effort", effort(params)}};
  std::erase_if(settings, [](const auto& setting) { return setting.second.empty(); });
  return settings;
}

}  // namespace ke
