#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "experiments/cli/verb.hpp"

namespace ke {

std::string VerbOption::type() const {
  if (value.empty()) return "switch";
  if (bounds) return "integer";
  return choices.empty() ? "text" : "word";
}

std::string VerbOption::range() const {
  if (bounds) return fmt::format("[{}, {}]", bounds->low, bounds->high);
  return fmt::format("{}", fmt::join(choices, " | "));
}

Arguments::Arguments(std::vector<VerbOption> options, std::vector<Given> given,
                     std::vector<std::string> positionals)
    : options_(std::move(options)),
      given_(std::move(given)),
      positionals_(std::move(positionals)) {}

bool Arguments::has(std::string_view name) const {
  return std::any_of(given_.begin(), given_.end(), [&](const Given& g) { return g.name == name; });
}

const VerbOption& Arguments::declared(std::string_view name) const {
  const auto found = std::find_if(options_.begin(), options_.end(),
                                  [&](const VerbOption& o) { return o.name == name; });
  KE_CHECK(found != options_.end());
  return *found;
}

std::string Arguments::text(std::string_view name) const {
  for (const Given& given : given_) {
    if (given.name == name) return given.value;
  }
  return declared(name).fallback;
}

Result<std::int64_t> Arguments::integer(std::string_view name) const {
  const auto& bounds = declared(name).bounds;
  KE_CHECK(bounds.has_value());
  const std::string value = text(name);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < bounds->low ||
      number > bounds->high) {
    return Error{Failure::usage, fmt::format("--{} = {} is not an integer in [{}, {}]", name, value,
                                             bounds->low, bounds->high)};
  }
  return number;
}

void split_overrides(const std::vector<std::string>& words, std::vector<std::string>& paths,
                     std::vector<std::string>& overrides) {
  for (const std::string& word : words) {
    const bool exists = std::filesystem::exists(word);
    (word.find('=') != std::string::npos && !exists ? overrides : paths).push_back(word);
  }
}

VerbOption until_waiting_option() {
  return {"until-waiting", 0, "", "",
          "end with 8 when all that is left to do waits for answers in a mailbox"};
}

}  // namespace ke
