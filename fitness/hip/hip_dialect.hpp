#pragma once
// HIP for an evaluator that uses NVRTC: NVRTC compiles kernels for the NVIDIA GPU with our headers;
// clang also compiles them for AMD GPUs and may refuse them.

#include <memory>
#include <string>

#include "fitness/gpu/nvrtc_dialect.hpp"
#include "fitness/hip/amd_builder.hpp"

namespace ke::hip {

/// `toolchain` is the text of toolchain_of. The task is borrowed.
std::shared_ptr<const gpu::NvrtcDialect> make_hip_dialect(const Task& task, AmdOptions options,
                                                          std::string toolchain);

/// Text with the headers, the targets and, if there are targets, the compiler's version. Errors: no
/// headers, no compiler.
Result<std::string> toolchain_of(const AmdOptions& options);

}  // namespace ke::hip
