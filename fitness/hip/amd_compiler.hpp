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

}  // namespace ke::hip
