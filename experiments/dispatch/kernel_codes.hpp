#pragma once
// The code of launched kernels as libraries hold it.

#include <string>
#include <vector>

#include "core/hash.hpp"
#include "core/kernel.hpp"
#include "core/result.hpp"
#include "experiments/dispatch/dispatch_plan.hpp"

namespace ke {

/// Makes code for the device that judged the kernels, and for further ones that they were built
/// for.
class KernelCodes {
 public:
  virtual ~KernelCodes() = default;
  virtual const std::string& name() const = 0;  ///< of the device
  virtual const std::string& arch() const = 0;  ///< as in GpuCode
  /// True if the code is built on any device, so that a naive kernel can stand in for others.
  virtual bool portable() const = 0;
  /// Errors: the code differs from `build`, which was judged; a library cannot hold the kernel.
  virtual Result<std::vector<GpuCode>> make(const Kernel& kernel, const Digest& build) const = 0;
};

}  // namespace ke
