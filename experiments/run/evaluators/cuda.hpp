#pragma once
// Options and start of CUDA evaluators, shared by `eval` and by the other kinds of devices on GPUs.

#include "experiments/run/evaluators/cpu.hpp"
#include "fitness/cuda/cuda_evaluator.hpp"

namespace ke {

/// Reads the options below `device` and adds paths and settings of the program.
gpu::GpuOptions cuda_options(Params& device, const EvaluatorSetup& setup);

/// Options of a run on GPUs, and the sandbox around its compilers and its oracle.
struct GpuSetup {
  gpu::GpuOptions options;
  Workbench bench;
};

/// Starts an evaluator for the GPUs that its options name, with the oracle of its task.
Result<std::unique_ptr<Evaluator>> start_cuda(const std::shared_ptr<const Task>& task,
                                              const GpuSetup& setup);

/// Axes for measures of PTX and of the compiler's log.
std::vector<AxisInfo> cuda_measures();

}  // namespace ke
