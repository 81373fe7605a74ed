#pragma once
// Compiles CUDA kernels, and kernels in Python DSLs, without a GPU.

#include <memory>

#include "core/evaluator.hpp"
#include "fitness/cuda/cuda_evaluator.hpp"

namespace ke::cuda {

/// Answers builds alone, for `options.arch` and the limits of an H200. Errors: no NVRTC, no helper
/// program.
Result<std::unique_ptr<Evaluator>> make_cuda_compiler(std::shared_ptr<const Task> task,
                                                      const CudaOptions& options);

}  // namespace ke::cuda
