#pragma once
// The HIP kind's part that `doctor` uses by itself.

#include <vector>

#include "fitness/cuda/cuda_evaluator.hpp"
#include "fitness/sandbox/spec.hpp"

namespace ke {

/// What HIP offers on this machine; compilers run behind walls of `level`.
std::vector<cuda::CudaFinding> probe_hip_here(SandboxLevel level);

}  // namespace ke
