#include "fitness/gpu/gpu_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace ke::gpu {
namespace {

/// nvmlClocksEventReasons, from bit 0 on.
constexpr std::string_view reason_names[] = {
    "gpu_idle",      "applications_clocks", "sw_power_cap",        "hw_slowdown",
    "sync_boost",    "sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown",
    "display_clocks"};

constexpr std::int64_t milliwatts_a_watt = 1000;

std::string of_most(std::optional<std::int64_t> most) {
  return most ? fmt::format(" of {}", *most) : "";
}

}  // namespace

std::string names_of_reasons(std::uint64_t reasons) {
  std::vector<std::string> names;
  std::uint64_t bit = 1;
  for (const std::string_view name : reason_names) {
    if ((reasons & bit) != 0) names.emplace_back(name);
    reasons &= ~bit;
    bit <<= 1;
  }
  if (reasons != 0) names.push_back(fmt::format("{:#x}", reasons));
  return fmt::format("{}", fmt::join(names, ", "));
}

void Extent::add(std::optional<std::int64_t> value) {
  if (!value) return;
  low_ = std::min(low_.value_or(*value), *value);
  high_ = std::max(high_.value_or(*value), *value);
}

std::string Extent::text() const {
  if (!low_) return {};
  return *low_ == *high_ ? fmt::format("{}", *low_) : fmt::format("{} to {}", *low_, *high_);
}

void GpuWatch::begin() {
  sm_mhz_ = memory_mhz_ = celsius_ = watts_ = {};
  reasons_ = 0;
}

bool GpuWatch::look() {
  if (!gpu_) return false;
  const GpuState seen = gpu_->state();
  sm_mhz_.add(seen.sm_mhz);
  memory_mhz_.add(seen.memory_mhz);
  celsius_.add(seen.celsius);
  if (seen.milliwatts) watts_.add(*seen.milliwatts / milliwatts_a_watt);
  reasons_ |= seen.reasons;
  return disturbing(seen.reasons) != 0;
}

std::string GpuWatch::text() const {
  if (!gpu_) return fmt::format("GPU {}: {}", index_, gpu_.error().message);
  std::vector<std::string> parts;
  const auto add = [&](std::string_view before, const Extent& of, const std::string& behind) {
    const std::string figures = of.text();
    if (!figures.empty()) parts.push_back(fmt::format("{}{}{}", before, figures, behind));
  };
  add("SM ", sm_mhz_, of_most(gpu_->most_sm_mhz()) + " MHz");
  add("memory ", memory_mhz_, of_most(gpu_->most_memory_mhz()) + " MHz");
  add("", celsius_, " C");
  add("", watts_, " W");
  if (reasons_ != 0) parts.push_back(names_of_reasons(reasons_));
  return fmt::format("GPU {}{}{}", index_, parts.empty() ? "" : ": ", fmt::join(parts, ", "));
}

std::string GpuWatch::slowdowns() const { return names_of_reasons(disturbing(reasons_)); }

}  // namespace ke::gpu
