#include "operators/llm/figures.hpp"

#include <fmt/format.h>

namespace ke {

std::string time_words(double time, const DeviceSheet* sheet) {
  if (sheet != nullptr && !sheet->time_unit.empty()) {
    return fmt::format("{:.0f} {}", time, sheet->time_unit);
  }
  const double us = time / 1e3;
  return fmt::format("{:.{}f} us", us, us < 100 ? 2 : us < 10'000 ? 1 : 0);
}

std::string size_words(std::int64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  if (bytes < 1 << 20) return fmt::format("{:.1f} KiB", size / 1024);
  return fmt::format("{:.1f} MiB", size / (1 << 20));
}

std::string work_words(std::int64_t flops) {
  const auto work = static_cast<double>(flops);
  if (work < 1e6) return fmt::format("{:.1f} kFLOP", work / 1e3);
  if (work < 1e9) return fmt::format("{:.1f} MFLOP", work / 1e6);
  return fmt::format("{:.1f} GFLOP", work / 1e9);
}

double floor_of(const DeviceSheet* sheet, const std::string& workload) {
  if (sheet == nullptr) return 0;
  const auto found = sheet->floors_ns.find(workload);
  return found == sheet->floors_ns.end() ? 0 : found->second;
}

std::string opponent_words(const TaskContract* contract) {
  return contract == nullptr || contract->opponent.empty() ? "the anchor" : contract->opponent;
}

}  // namespace ke
