#include "fitness/gpu/clock_reasons.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace ke::gpu {
namespace {

constexpr std::pair<ClockReason, std::string_view> reason_names[] = {
    {gpu_idle, "gpu_idle"},
    {applications_clocks, "applications_clocks"},
    {sw_power_cap, "sw_power_cap"},
    {hw_slowdown, "hw_slowdown"},
    {sync_boost, "sync_boost"},
    {sw_thermal_slowdown, "sw_thermal_slowdown"},
    {hw_thermal_slowdown, "hw_thermal_slowdown"},
    {hw_power_brake_slowdown, "hw_power_brake_slowdown"},
    {display_clocks, "display_clocks"},
};

}  // namespace

std::string names_of_reasons(std::uint64_t reasons) {
  std::string text;
  const auto add = [&](std::string_view name) {
    text += text.empty() ? "" : ", ";
    text += name;
  };
  for (const auto& [bit, name] : reason_names) {
    if ((reasons & bit) != 0) add(name);
    reasons &= ~static_cast<std::uint64_t>(bit);
  }
  if (reasons != 0) add(fmt::format("{:#x}", reasons));
  return text;
}

}  // namespace ke::gpu
