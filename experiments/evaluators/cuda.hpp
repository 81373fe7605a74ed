#pragma once
// The CUDA kind's parts that `eval` and kinds on the same devices use by themselves.

#include "experiments/evaluators/cpu.hpp"
#include "fitness/cuda/cuda_evaluator.hpp"

namespace ke {

/// Options below `device`, completed by what the program knows.
gpu::GpuOptions cuda_options(Params& device, const EvaluatorSetup& setup);

/// Options of a run on GPUs, and the walls around its compilers and its oracle.
struct GpuSetup {
  gpu::GpuOptions options;
  Workbench bench;
};

/// An evaluator for the GPUs that its options name, with the oracle of its task.
Result<std::unique_ptr<Evaluator>> start_cuda(const std::shared_ptr<const Task>& task,
                                              const GpuSetup& setup);

/// Axes for what is read from PTX and the compiler's log.
std::vector<AxisInfo> cuda_measures();

}  // namespace ke
