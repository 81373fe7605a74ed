#include "fitness/gpu/ncu_sentences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "fitness/gpu/ncu_metrics.hpp"

namespace ke::gpu {
namespace {

using Measures = std::map<std::string, double>;

/// Looks up measures by their short names.
class Known {
 public:
  explicit Known(const Measures& measures) : measures_(measures) {}
  std::optional<double> operator()(std::string_view name) const {
    const auto found = measures_.find(ncu_measure(name));
    return found == measures_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  const Measures& measures_;
};

// Like the tool's own guide, takes a throughput of 60 % or more for the limit.
constexpr double bound_pct = 60;

std::string limiter_sentence(const Known& known) {
  const auto dram = known("dram_pct"), sm = known("sm_pct"), tensor = known("tensor_pct");
  if (!dram && !sm) return "";
  const std::string pipes = tensor ? fmt::format(" (tensor pipes {:.0f} %)", *tensor) : "";
  if (dram && *dram >= bound_pct && *dram >= sm.value_or(0)) {
    return fmt::format("DRAM {:.0f} % of peak: memory-bound; SM {:.0f} %{}.", *dram, sm.value_or(0),
                       pipes);
  }
  if (sm && *sm >= bound_pct) {
    return fmt::format("SM {:.0f} % of peak{}: bound by its instructions; DRAM {:.0f} %.", *sm,
                       pipes, dram.value_or(0));
  }
  return fmt::format(
      "DRAM {:.0f} % and SM {:.0f} %{} of peak: neither is busy, bound by latency or by too little "
      "work in flight.",
      dram.value_or(0), sm.value_or(0), pipes);
}

std::string stall_sentence(const Measures& measures) {
  const std::string prefix = ncu_measure(ncu_stall_prefix);
  std::vector<std::pair<double, std::string>> parts;
  for (const auto& [name, cycles] : measures) {
    if (!name.starts_with(prefix)) continue;
    const std::string reason = name.substr(prefix.size());
    parts.emplace_back(
        cycles, fmt::format("{} ({}, {:.1f} cycles)", reason, ncu_stall_meaning(reason), cycles));
  }
  std::ranges::stable_sort(parts, std::greater<>(), &std::pair<double, std::string>::first);
  if (parts.empty()) return "";
  std::string text = "For each issued instruction warps wait most for " + parts.front().second;
  if (parts.size() > 1) text += " and " + parts[1].second;
  return text + ".";
}

std::string occupancy_sentence(const Known& known) {
  const auto occupancy = known("occupancy_pct"), issue = known("issue_pct");
  if (!occupancy) return "";
  std::string text = fmt::format("Occupancy {:.0f} %", *occupancy);
  if (const auto registers = known("registers")) {
    text += fmt::format(" with {:.0f} registers a thread", *registers);
  }
  if (issue) text += fmt::format("; {:.0f} % of issue slots are used", *issue);
  return text + ".";
}

std::string cache_sentence(const Known& known) {
  const auto l1 = known("l1_hit_pct"), l2 = known("l2_hit_pct");
  if (!l1 || !l2) return "";
  return fmt::format("Hit rates: L1 {:.0f} %, L2 {:.0f} %.", *l1, *l2);
}

std::string access_sentence(const Known& known) {
  constexpr double most_sectors = 16;  // 32 threads with 16 adjacent bytes each
  constexpr double few_conflicts = 0.2;
  std::string text;
  const auto sectors = known("sectors_per_load"), conflicts = known("bank_conflicts");
  if (sectors && *sectors > most_sectors + 1) {
    text = fmt::format("Global loads are not coalesced: {:.1f} sectors a request. ", *sectors);
  }
  if (conflicts && *conflicts > few_conflicts) {
    text += fmt::format("Shared memory has {:.1f} bank conflicts a request.", *conflicts);
  }
  if (text.ends_with(' ')) text.pop_back();
  return text;
}

}  // namespace

std::vector<std::string> ncu_sentences(const std::map<std::string, double>& measures) {
  const Known known(measures);
  std::vector<std::string> sentences;
  for (std::string sentence :
       {limiter_sentence(known), stall_sentence(measures), occupancy_sentence(known),
        access_sentence(known), cache_sentence(known)}) {
    if (!sentence.empty()) sentences.push_back(std::move(sentence));
  }
  return sentences;
}

}  // namespace ke::gpu
