#pragma once
// Describes what this machine offers to the CUDA evaluator.

#include <string>
#include <vector>

#include "fitness/gpu/gpu_device.hpp"

namespace ke::cuda {

/// One line per GPU and one about its clocks, then compiler, sanitizer, profiler and helper
/// program.
std::vector<gpu::ProbeLine> probe_cuda(const std::string& tools_dir);

}  // namespace ke::cuda
