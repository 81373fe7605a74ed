#pragma once
// Machine code for the AMD GPU that kernels run on, and for those that they must compile for.

#include <memory>
#include <string>

#include "fitness/gpu/gpu_compiler.hpp"
#include "fitness/hip/amd_builder.hpp"

namespace ke::hip {

/// Kernels get the measures of each target and, as those of NVIDIA GPUs do, registers, spill_bytes
/// and shared_bytes: of the GPU that they run on. The task is borrowed. Errors: `arch` is none of
/// amd_targets; no headers or no compiler.
Result<std::shared_ptr<const gpu::DeviceCompiler>> make_amd_device_compiler(const Task& task,
                                                                            AmdOptions options,
                                                                            std::string arch);

/// Builds a HIP kernel for every target, its code object for each in `cubins`; no hash. Errors are
/// the machine's.
Result<gpu::GpuBuilt> build_hip(const AmdBuilder& builder, const Kernel& kernel);

/// Builds a kernel in a Python DSL for AMD GPUs (FlyDSL) for every target of `options`: modules,
/// plan and hash are the first target's, measures such as gfx942_vgprs those of each (no waves: the
/// machine code does not tell them). A kernel that a target refuses is refused, with a message that
/// names the target. Errors are the machine's.
Result<gpu::GpuBuilt> build_dsl(const AmdOptions& options, const Kernel& kernel);

}  // namespace ke::hip
