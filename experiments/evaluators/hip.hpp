#pragma once
// The HIP kind's part that `doctor` uses by itself.

#include <vector>

#include "experiments/evaluators/evaluator_kind.hpp"
#include "fitness/cuda/probe_cuda.hpp"
#include "fitness/sandbox/spec.hpp"

namespace ke {

/// What HIP offers on this machine; compilers run behind walls of `level`.
std::vector<cuda::CudaFinding> probe_hip_here(SandboxLevel level);

}  // namespace ke
