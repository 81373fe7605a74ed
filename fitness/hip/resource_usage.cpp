#include "fitness/hip/resource_usage.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/text.hpp"

namespace ke::hip {
namespace {

constexpr std::string_view mark = "remark: ";

struct Line {
  std::string_view name, resource;
};
constexpr Line lines[] = {{"SGPRs", "sgprs"},
                          {"VGPRs", "vgprs"},
                          {"AGPRs", "agprs"},
                          {"SGPRs Spill", "spills"},
                          {"VGPRs Spill", "spills"},
                          {"ScratchSize [bytes/lane]", "scratch_bytes"},
                          {"LDS Size [bytes/block]", "lds_bytes"},
                          {"Occupancy [waves/SIMD]", "waves"}};

/// Extracts "VGPRs: 13 [..." from "kernel.hip:9:0: remark:     VGPRs: 13
/// [-Rpass-analysis=kernel-resource-usage]".
std::optional<std::string_view> remark_of(std::string_view line) {
  const std::size_t at = line.find(mark);
  if (at == line.npos || !line.ends_with("[-Rpass-analysis=kernel-resource-usage]")) return {};
  return trim(line.substr(at + mark.size()));
}

}  // namespace

std::map<std::string, double> resource_usage(std::string_view output) {
  std::map<std::string, double> most, kernel;
  const auto add_kernel = [&] {
    for (const auto& [name, value] : kernel) {
      const auto [known, added] = most.emplace(name, value);
      if (added) continue;
      known->second =
          name == "waves" ? std::min(known->second, value) : std::max(known->second, value);
    }
    kernel.clear();
  };
  for (const std::string_view line : split(output, '\n')) {
    const auto remark = remark_of(line);
    if (!remark) continue;
    const std::size_t colon = remark->rfind(": ");
    if (colon == remark->npos) continue;
    if (remark->starts_with("Function Name")) add_kernel();
    double value = 0;
    std::from_chars(remark->data() + colon + 2, remark->data() + remark->size(), value);
    for (const Line& one : lines) {
      if (remark->substr(0, colon) == one.name) kernel[std::string(one.resource)] += value;
    }
  }
  add_kernel();
  return most;
}

}  // namespace ke::hip
