#pragma once
// HIP as NVRTC takes it: compiled for the NVIDIA GPU by NVRTC with our headers, and
// for AMD GPUs by clang, which may refuse it.

#include <memory>
#include <string>

#include "fitness/gpu/nvrtc_dialect.hpp"
#include "fitness/hip/amd_builder.hpp"

namespace ke::hip {

/// `toolchain`: the text of toolchain_of. The task is borrowed.
std::shared_ptr<const gpu::NvrtcDialect> make_hip_dialect(const Task& task, AmdOptions options,
                                                          std::string toolchain);

/// Headers, targets and, where there are targets, the compiler's version. Errors: no headers, no
/// compiler.
Result<std::string> toolchain_of(const AmdOptions& options);

}  // namespace ke::hip
