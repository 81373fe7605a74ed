#pragma once
// Compiles HIP for the AMD GPU that runs kernels, and for further targets that must accept them; or
// lets NVRTC compile it for an NVIDIA GPU with our headers, and clang for the AMD GPUs.

#include <memory>
#include <string>

#include "fitness/gpu/gpu_compiler.hpp"
#include "fitness/hip/amd_builder.hpp"

namespace ke::hip {

/// Text with the headers, the targets and, if there are targets, the compiler's version. Errors: no
/// headers, no compiler.
Result<std::string> toolchain_of(const AmdOptions& options);

/// HIP for NVRTC; clang may refuse its kernels. `toolchain` is the text of toolchain_of. The task
/// is borrowed.
std::shared_ptr<const gpu::NvrtcDialect> make_hip_dialect(const Task& task, AmdOptions options,
                                                          std::string toolchain);

/// Kernels get the measures of each target. As on NVIDIA GPUs, registers, spill_bytes and
/// shared_bytes refer to the GPU that runs them. The task is borrowed. Errors: `arch` is not in
/// amd_targets; no headers or no compiler.
Result<std::shared_ptr<const gpu::DeviceCompiler>> make_amd_device_compiler(const Task& task,
                                                                            AmdOptions options,
                                                                            std::string arch);

/// Builds a HIP kernel for every target; `cubins` holds one code object per target. Sets no hash.
/// Errors: the machine fails.
Result<gpu::GpuBuilt> build_hip(const AmdBuilder& builder, const Kernel& kernel);

/// Builds a kernel in a Python DSL for AMD GPUs (FlyDSL) for every target of `options`. Modules,
/// plan and hash are the first target's; measures such as gfx942_vgprs exist for each target (waves
/// do not: the machine code does not state them). If a target refuses the kernel, the message names
/// the target. Errors: the machine fails.
Result<gpu::GpuBuilt> build_dsl(const AmdOptions& options, const Kernel& kernel);

}  // namespace ke::hip
