#pragma once
// Parts of the HIP kind that `doctor` and `dispatch` use directly.

#include <memory>
#include <vector>

#include "experiments/run/evaluators/cuda.hpp"
#include "experiments/run/evaluators/evaluator_kind.hpp"
#include "fitness/gpu/gpu_device.hpp"
#include "fitness/hip/hip_evaluator.hpp"
#include "fitness/sandbox/spec.hpp"

namespace ke {

/// Options of a run of HIP kernels, and the sandbox around its compilers and its oracle.
struct HipSetup {
  gpu::GpuOptions options;
  hip::AmdOptions amd;
  hip::RuntimeOptions runtime;
  Workbench bench;
};

/// Reads the options below `device` and adds paths and settings of the program. Error: the Python
/// lacks FlyDSL.
Result<HipSetup> hip_setup(Params& device, const std::shared_ptr<const Task>& task,
                           const EvaluatorSetup& setup);

/// Starts an evaluator for the GPUs that its options name, with the oracle of its task.
Result<std::unique_ptr<Evaluator>> start_hip(const std::shared_ptr<const Task>& task,
                                             const HipSetup& setup);

/// Probes HIP on this machine; compilers run in a sandbox of `level`.
std::vector<gpu::ProbeLine> probe_hip_here(SandboxLevel level);

}  // namespace ke
