#pragma once
// Judges CUDA kernels and kernels in Python DSLs on an NVIDIA GPU, or only compiles them without
// one.

#include <memory>

#include "fitness/gpu/gpu_evaluator.hpp"

namespace ke::cuda {

/// gpu::make_gpu_evaluator with NVRTC.
Result<std::unique_ptr<Evaluator>> make_cuda_evaluator(std::shared_ptr<const Task> task,
                                                       Reference reference,
                                                       gpu::GpuOptions options);

/// Answers only builds, for `options.arch` and the limits of an H200. Errors: no NVRTC, no helper
/// program.
Result<std::unique_ptr<Evaluator>> make_cuda_compiler(std::shared_ptr<const Task> task,
                                                      const gpu::GpuOptions& options);

}  // namespace ke::cuda
