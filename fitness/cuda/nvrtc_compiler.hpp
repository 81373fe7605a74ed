#pragma once
// Compiles a CUDA kernel to machine code with a checked launch plan, by NVRTC in helper processes.

#include <memory>
#include <string>

#include "fitness/gpu/gpu_evaluator.hpp"

namespace ke::cuda {

/// Compiles CUDA and, with `options.dialect`, kernels in its language; passes kernels in Python
/// DSLs to `options.dsl`. Runs one helper per calling thread. Borrows the task; looks for NVRTC on
/// first use.
std::shared_ptr<const gpu::DeviceCompiler> make_nvrtc_compiler(const Task& task,
                                                               const gpu::GpuOptions& options);

/// Why a kernel must not use a flag, or "".
std::string refused_cuda_flag(const std::string& flag);

}  // namespace ke::cuda
