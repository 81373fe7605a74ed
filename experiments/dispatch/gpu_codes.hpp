#pragma once
// Compiles machine code for libraries, for the GPU that judged the kernels.

#include <memory>
#include <string>
#include <vector>

#include "core/kernel.hpp"
#include "experiments/dispatch/dispatch_plan.hpp"
#include "fitness/gpu/gpu_evaluator.hpp"

namespace ke {

/// Variables in device memory that outlive a call, by their declared names. Excludes constants,
/// which `source` declares as such. Error: the input is no ELF file.
Result<std::vector<std::string>> device_variables(const std::string& cubin,
                                                  const std::string& source);

class GpuCodes {
 public:
  /// Opens the first GPU of `options`. Errors: no driver, no such GPU.
  static Result<GpuCodes> open(std::shared_ptr<const Task> task, const gpu::GpuOptions& options);

  const std::string& name() const { return target_.terms.name; }
  const std::string& arch() const { return target_.arch; }
  /// Compiles again. Errors: the machine code differs from `build`, which was judged; the kernel
  /// keeps variables on the device, or its plan shares some, which calls on two streams would
  /// share.
  Result<GpuCode> make(const Kernel& kernel, const Digest& build) const;

 private:
  std::shared_ptr<const Task> task_;
  std::shared_ptr<const gpu::DeviceCompiler> compiler_;
  gpu::GpuTarget target_;
};

}  // namespace ke
