#pragma once
// From a CUDA kernel of the search to machine code with a checked launch plan, by NVRTC in helper
// processes.

#include <memory>
#include <string>

#include "fitness/gpu/gpu_evaluator.hpp"

namespace ke::cuda {

/// Compiles CUDA and, with `options.dialect`, kernels in its language; kernels in Python DSLs go to
/// `options.dsl`. As many helpers run as there are threads that ask. The task is borrowed; NVRTC is
/// looked for when first needed.
std::shared_ptr<const gpu::DeviceCompiler> make_nvrtc_compiler(const Task& task,
                                                               const gpu::GpuOptions& options);

/// Why a flag of a kernel may not be used, or "".
std::string refused_cuda_flag(const std::string& flag);

}  // namespace ke::cuda
