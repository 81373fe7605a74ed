#pragma once
// NVIDIA's management library, opened with dlopen, for clocks and temperatures. Declares the few
// functions and constants in use, with the values of nvml.h of CUDA 12.

#include <cstdint>
#include <optional>
#include <string>

#include "core/result.hpp"

namespace ke::gpu {

using ManagedDevice = void*;  ///< nvmlDevice_t

/// Functions of libnvidia-ml.so.1; each returns 0 for success.
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
/// The driver's library, opened once per process.
Result<const Nvml*> load_nvml();

/// Sensor readings of a GPU at one moment. Absent: not reported.
struct GpuState {
  std::optional<std::int64_t> sm_mhz, memory_mhz, celsius, milliwatts;
  std::uint64_t reasons = 0;  ///< reasons for its clocks, see names_of_reasons
};

/// A GPU as known to the library. Usable from any thread.
class ManagedGpu {
 public:
  /// `bus_id` is from the CUDA driver, e.g. "0000:0f:00.0", because the two libraries number GPUs
  /// differently. Error: the library does not know the GPU.
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
