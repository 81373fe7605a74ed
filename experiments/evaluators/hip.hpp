#pragma once
// The HIP kind's part that `doctor` uses by itself.

#include <vector>

#include "experiments/evaluators/evaluator_kind.hpp"
#include "fitness/gpu/gpu_device.hpp"
#include "fitness/sandbox/spec.hpp"

namespace ke {

/// What HIP offers on this machine; compilers run behind walls of `level`.
std::vector<gpu::ProbeLine> probe_hip_here(SandboxLevel level);

}  // namespace ke
