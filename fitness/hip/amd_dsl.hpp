#pragma once
// Kernels in a Python DSL that compiles for AMD GPUs: FlyDSL.

#include <string>

#include "core/kernel.hpp"
#include "core/result.hpp"
#include "fitness/cuda/cuda_builder.hpp"
#include "fitness/hip/amd_builder.hpp"
#include "fitness/task.hpp"

namespace ke::hip {

/// Whether a kernel is in a Python DSL.
bool in_dsl(const Kernel& kernel);

/// Builds it for every target of `options`: modules, plan and hash are the first target's, measures
/// such as gfx942_vgprs those of each (no waves: the machine code does not tell them). A kernel
/// that a target refuses is refused, with a message that names the target. Errors are the
/// machine's.
Result<cuda::CudaBuilt> build_dsl(const Task& task, const AmdOptions& options,
                                  const Kernel& kernel);

}  // namespace ke::hip
