#pragma once
// What this machine offers to the CUDA evaluator.

#include <string>
#include <vector>

#include "fitness/gpu/gpu_device.hpp"

namespace ke::cuda {

/// A line a GPU and one about its clocks, then compiler, sanitizer, profiler and helper program.
std::vector<gpu::ProbeLine> probe_cuda(const std::string& tools_dir);

}  // namespace ke::cuda
