#pragma once
// Judges CUDA kernels and kernels in Python DSLs on an NVIDIA GPU, or only compiles them without
// one; and describes what this machine offers to that.

#include <memory>
#include <string>
#include <vector>

#include "fitness/gpu/gpu_device.hpp"
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

/// One line per GPU and one about its clocks, then compiler, sanitizer, profiler and helper
/// program.
std::vector<gpu::ProbeLine> probe_cuda(const std::string& tools_dir);

}  // namespace ke::cuda
