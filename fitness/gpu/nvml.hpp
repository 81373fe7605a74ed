#pragma once
// NVIDIA's management library, opened with dlopen: what a GPU says of its clocks. The few functions
// and constants that are used, declared here. Values as in nvml.h of CUDA 12.

#include <cstdint>
#include <optional>
#include <string>

#include "core/result.hpp"

namespace ke::gpu {

using ManagedDevice = void*;  ///< nvmlDevice_t

/// Functions of libnvidia-ml.so.1; each answers 0 for success.
struct Nvml {
  int (*init)();
  int (*driver_version)(char*, unsigned);
  int (*device_of_bus_id)(const char*, ManagedDevice*);
  int (*clock)(ManagedDevice, int, unsigned*);
  int (*most_clock)(ManagedDevice, int, unsigned*);
  int (*temperature)(ManagedDevice, int, unsigned*);
  int (*power)(ManagedDevice, unsigned*);
  int (*reasons)(ManagedDevice, unsigned long long*);
  const char* (*error_text)(int);
};

/// Opens and initialises a library. Error: what is missing and why.
Result<Nvml> open_nvml(const std::string& library);
/// That of the driver, opened once for this process.
Result<const Nvml*> load_nvml();

/// What a GPU says of itself at one moment. Absent: it does not say.
struct GpuState {
  std::optional<std::int64_t> sm_mhz, memory_mhz, celsius, milliwatts;
  std::uint64_t reasons = 0;  ///< why its clocks are what they are: a set of ClockReason
};

/// One GPU as the library knows it. Any thread.
class ManagedGpu {
 public:
  /// `bus_id` as the CUDA driver gives it, "0000:0f:00.0": the two count GPUs differently. Error:
  /// the library does not know the GPU.
  static Result<ManagedGpu> find(const Nvml& nvml, const std::string& bus_id);

  GpuState state() const;
  std::optional<std::int64_t> most_sm_mhz() const { return most_sm_mhz_; }
  std::optional<std::int64_t> most_memory_mhz() const { return most_memory_mhz_; }

 private:
  ManagedGpu(const Nvml& nvml, ManagedDevice device);
  const Nvml* nvml_;
  ManagedDevice device_;
  std::optional<std::int64_t> most_sm_mhz_, most_memory_mhz_;
};

}  // namespace ke::gpu
