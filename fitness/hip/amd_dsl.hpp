#pragma once
// Kernels in a Python DSL that compiles for AMD GPUs: FlyDSL.

#include <string>

#include "core/kernel.hpp"
#include "core/result.hpp"
#include "fitness/gpu/gpu_compiler.hpp"
#include "fitness/hip/amd_builder.hpp"

namespace ke::hip {

/// Builds it for every target of `options`: modules, plan and hash are the first target's, measures
/// such as gfx942_vgprs those of each (no waves: the machine code does not tell them). A kernel
/// that a target refuses is refused, with a message that names the target. Errors are the
/// machine's.
Result<gpu::GpuBuilt> build_dsl(const AmdOptions& options, const Kernel& kernel);

}  // namespace ke::hip
