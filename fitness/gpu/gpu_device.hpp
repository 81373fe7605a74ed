#pragma once
// What a GPU is and how a context on it is made.

#include <span>
#include <string>
#include <vector>

#include "fitness/gpu/driver.hpp"
#include "fitness/plan/resolve_plan.hpp"

namespace ke::gpu {

struct GpuInfo {
  int index = 0;       ///< as the driver counts
  std::string bus_id;  ///< "0000:0f:00.0"
  DeviceTerms terms;
  std::string arch;              ///< "sm_90a", "gfx942"
  std::int64_t flush_bytes = 0;  ///< what is read so that nothing else is in a cache
  std::string driver_version;
  bool exports = false;    ///< memory can be shared with a worker
  bool sees_host = false;  ///< kernels can reach ordinary memory of their process
};

/// Reads a device's attributes. Error: no such device.
Result<GpuInfo> describe_gpu(const Driver& driver, int index);
/// Several, in the order of `indices`; none = all. Error: no such device.
Result<std::vector<GpuInfo>> describe_gpus(const Driver& driver, std::vector<int> indices);
/// Error: GPUs of two models, whose times say nothing of each other.
Result<void> require_one_model(std::span<const GpuInfo> gpus);
/// Makes the device's primary context current on this thread.
Result<void> enter_gpu(const Driver& driver, int index);

/// One line about each thing that this backend needs: what is there, or what is missing and why.
struct ProbeLine {
  std::string what;
  bool ok = false;
  std::string detail;
};

}  // namespace ke::gpu
