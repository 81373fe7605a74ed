#pragma once
// The HIP kind's parts that `doctor` and `eval` use by themselves.

#include <vector>

#include "experiments/evaluators/evaluator_kind.hpp"
#include "fitness/cuda/probe_cuda.hpp"
#include "fitness/sandbox/spec.hpp"

namespace ke {

/// What HIP offers on this machine; compilers run behind walls of `level`.
std::vector<cuda::CudaFinding> probe_hip_here(SandboxLevel level);

/// Answers builds alone, for the targets of an experiment with `device: hip`; needs no GPU.
Result<StartedEvaluator> start_amd_compiler(const Experiment& experiment, const Subject& subject);

}  // namespace ke
