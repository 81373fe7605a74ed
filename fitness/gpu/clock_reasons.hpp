#pragma once
// Reasons for a GPU's current clocks: the bits of nvmlClocksEventReasons.

#include <cstdint>
#include <string>

namespace ke::gpu {

enum ClockReason : std::uint64_t {
  gpu_idle = 0x1,
  applications_clocks = 0x2,
  sw_power_cap = 0x4,
  hw_slowdown = 0x8,  ///< heat, a power brake, or too high a power draw
  sync_boost = 0x10,
  sw_thermal_slowdown = 0x20,
  hw_thermal_slowdown = 0x40,
  hw_power_brake_slowdown = 0x80,
  display_clocks = 0x100,
};

/// "sw_power_cap, hw_slowdown" in bit order, unknown ones as "0x200"; "" = none.
std::string names_of_reasons(std::uint64_t reasons);

/// The reasons that come and go by themselves and may affect only one arm of a pair. A power cap,
/// an idle state and clocks that somebody set affect both arms.
constexpr std::uint64_t disturbing(std::uint64_t reasons) {
  return reasons &
         (hw_slowdown | sw_thermal_slowdown | hw_thermal_slowdown | hw_power_brake_slowdown);
}

}  // namespace ke::gpu
