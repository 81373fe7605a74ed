#pragma once
// Part of the HIP kind that `doctor` uses directly.

#include <vector>

#include "experiments/run/evaluators/evaluator_kind.hpp"
#include "fitness/gpu/gpu_device.hpp"
#include "fitness/sandbox/spec.hpp"

namespace ke {

/// Probes HIP on this machine; compilers run in a sandbox of `level`.
std::vector<gpu::ProbeLine> probe_hip_here(SandboxLevel level);

}  // namespace ke
