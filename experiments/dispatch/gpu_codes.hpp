#pragma once
// Compiles machine code for libraries, for the GPU that judged the kernels and for others that they
// were built for.
// The code of launched kernels as libraries hold it.

#include <memory>
#include <string>
#include <vector>

#include "core/hash.hpp"
#include "core/kernel.hpp"
#include "core/result.hpp"
#include "experiments/dispatch/dispatch_plan.hpp"
#include "fitness/gpu/gpu_evaluator.hpp"
#include "fitness/task.hpp"

namespace ke {

/// Makes code for the device that judged the kernels, and for further ones that they were built
/// for.
class KernelCodes {
 public:
  virtual ~KernelCodes() = default;
  virtual const std::string& name() const = 0;  ///< of the device
  virtual const std::string& arch() const = 0;  ///< as in GpuCode
  /// True if the library holds source that any device builds, so that a naive kernel can stand in
  /// for others.
  virtual bool portable() const = 0;
  /// Errors: the code differs from `build`, which was judged; a library cannot hold the kernel.
  virtual Result<std::vector<GpuCode>> make(const Kernel& kernel, const Digest& build) const = 0;
};

/// Variables in device memory that outlive a call, by their declared names. Excludes constants,
/// which `source` declares as such. Error: the input is no ELF file.
Result<std::vector<std::string>> device_variables(const std::string& cubin,
                                                  const std::string& source);

/// A compiler and what it compiles for.
struct GpuBuilder {
  std::shared_ptr<const gpu::GpuCompiler> compiler;
  gpu::GpuTarget target;
};

/// Errors of `make`: the machine code for the GPU differs from `build`; the kernel keeps variables
/// on the device, or its plan shares some, which calls on two streams would share.
class GpuCodes final : public KernelCodes {
 public:
  GpuCodes(std::shared_ptr<const Task> task, GpuBuilder own, std::vector<GpuBuilder> further)
      : task_(std::move(task)), own_(std::move(own)), further_(std::move(further)) {}

  const std::string& name() const override { return own_.target.terms.name; }
  const std::string& arch() const override { return own_.target.arch; }
  bool portable() const override { return false; }
  Result<std::vector<GpuCode>> make(const Kernel& kernel, const Digest& build) const override;

 private:
  Result<GpuCode> code_of(const GpuBuilder& builder, const Kernel& kernel,
                          const gpu::GpuBuilt& built) const;

  std::shared_ptr<const Task> task_;
  GpuBuilder own_;
  std::vector<GpuBuilder> further_;
};

/// Opens the first GPU of `options`, whose compiler is NVRTC if it names none. Errors: no driver,
/// no such GPU.
Result<GpuBuilder> open_gpu_builder(const Task& task, const gpu::GpuOptions& options);

}  // namespace ke
