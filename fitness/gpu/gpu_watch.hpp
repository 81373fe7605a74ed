#pragma once
// Records a GPU's clocks around timed rounds.

#include <cstdint>
#include <optional>
#include <string>

#include "fitness/gpu/nvml.hpp"

namespace ke::gpu {

/// Names of the reasons for a GPU's clocks in bit order, "sw_power_cap, hw_slowdown"; unknown ones
/// as "0x200"; "" = none.
std::string names_of_reasons(std::uint64_t reasons);

/// The reasons that come and go by themselves and may affect only one arm of a pair. A power cap,
/// an idle state and clocks that somebody set affect both arms.
constexpr std::uint64_t disturbing(std::uint64_t reasons) {
  constexpr std::uint64_t hw_slowdown = 0x8;  // heat, a power brake, or too high a power draw
  constexpr std::uint64_t sw_thermal = 0x20, hw_thermal = 0x40, hw_power_brake = 0x80;
  return reasons & (hw_slowdown | sw_thermal | hw_thermal | hw_power_brake);
}

/// The range of a series of readings.
class Extent {
 public:
  void add(std::optional<std::int64_t> value);
  /// The range for people: "1965 to 1980"; "1980" when all readings are equal; "" when there are
  /// none.
  std::string text() const;

 private:
  std::optional<std::int64_t> low_, high_;
};

/// Lives on the lane's thread.
class GpuWatch {
 public:
  /// `gpu`: an error says why nothing can be observed; look() then never reports a slow-down.
  GpuWatch(std::int64_t index, Result<ManagedGpu> gpu) : index_(index), gpu_(std::move(gpu)) {}

  /// Clears all readings, before a job.
  void begin();
  /// Reads the GPU's state; true when the GPU throttles itself (see `disturbing`).
  bool look();

  /// The readings since begin(), as recorded with the timing: "GPU 0: SM 1965 to 1980 of 1980 MHz,
  /// memory 3201 of 3201 MHz, 41 to 45 C, 310 to 412 W, sw_power_cap", without readings that the
  /// GPU lacks; or the GPU's index and why there are no readings.
  std::string text() const;
  /// Names of the slow-downs seen since begin(); "" = none.
  std::string slowdowns() const;

 private:
  std::int64_t index_;
  Result<ManagedGpu> gpu_;
  Extent sm_mhz_, memory_mhz_, celsius_, watts_;
  std::uint64_t reasons_ = 0;
};

}  // namespace ke::gpu
