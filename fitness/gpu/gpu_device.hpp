#pragma once
// Describes GPUs and opens contexts on them.

#include <span>
#include <string>
#include <vector>

#include "fitness/gpu/driver.hpp"
#include "fitness/plan/resolve_plan.hpp"

namespace ke::gpu {

struct GpuInfo {
  int index = 0;       ///< by the driver's order
  std::string bus_id;  ///< "0000:0f:00.0"
  DeviceTerms terms;
  std::string arch;              ///< "sm_90a", "gfx942"
  std::int64_t flush_bytes = 0;  ///< bytes to read so that caches hold nothing else
  std::string driver_version;
  bool exports = false;    ///< memory can be shared with a worker
  bool sees_host = false;  ///< kernels can access ordinary memory of their process
};

/// Reads a device's attributes. Error: no such device.
Result<GpuInfo> describe_gpu(const Driver& driver, int index);
/// Describes several devices, in the order of `indices`; empty = all. Error: no such device.
Result<std::vector<GpuInfo>> describe_gpus(const Driver& driver, std::vector<int> indices);
/// Error: the GPUs are of two models, whose times are not comparable.
Result<void> require_one_model(std::span<const GpuInfo> gpus);
/// Makes the device's primary context current on this thread.
Result<void> enter_gpu(const Driver& driver, int index);

/// One line per thing that this backend needs: its description, or what is missing and why.
struct ProbeLine {
  std::string what;
  bool ok = false;
  std::string detail;
};

}  // namespace ke::gpu
