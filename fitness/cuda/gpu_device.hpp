#pragma once
// What a GPU is and how a context on it is made.

#include <string>
#include <vector>

#include "fitness/cuda/driver.hpp"
#include "fitness/plan/resolve_plan.hpp"

namespace ke::cuda {

struct GpuInfo {
  DeviceTerms terms;
  std::string arch;  ///< "sm_90a"
  std::string driver_version;
  bool exports = false;    ///< memory can be shared with a worker
  bool sees_host = false;  ///< kernels can reach ordinary memory of their process
};

/// Reads a device's attributes. Error: no such device.
Result<GpuInfo> describe_gpu(const Driver& driver, int index);
/// Makes the device's primary context current on this thread.
Result<void> enter_gpu(const Driver& driver, int index);

}  // namespace ke::cuda
