#pragma once
// HIP kernels: judged on an NVIDIA GPU by the CUDA evaluator, or only compiled for AMD GPUs.

#include <memory>
#include <string>
#include <vector>

#include "core/evaluator.hpp"
#include "core/params.hpp"
#include "fitness/content/reference.hpp"
#include "fitness/cuda/cuda_evaluator.hpp"
#include "fitness/cuda/probe_cuda.hpp"
#include "fitness/hip/amd_builder.hpp"
#include "fitness/task.hpp"

namespace ke::hip {

/// Options beside those of the CUDA evaluator; `read` declares them.
struct HipOptions {
  AmdOptions amd;
  std::string sandbox = "auto";  ///< the level asked for; whoever probes sets amd.tools.level

  static HipOptions read(Params& device);
};

/// Judges on an NVIDIA GPU; a kernel that a target refuses is refused. `reference` is the task's
/// oracle, in this process. Errors: those of the CUDA evaluator; targets and no compiler.
Result<std::unique_ptr<Evaluator>> make_hip_evaluator(std::shared_ptr<const Task> task,
                                                      Reference reference,
                                                      cuda::CudaOptions options,
                                                      const AmdOptions& amd);

/// Answers builds alone, without any GPU; other jobs are lost. Errors: no targets, no compiler.
Result<std::unique_ptr<Evaluator>> make_amd_compiler(std::shared_ptr<const Task> task,
                                                     const AmdOptions& amd);

/// What HIP offers here: the compiler for AMD GPUs, tried on each target, and where kernels run.
std::vector<cuda::CudaFinding> probe_hip(const AmdOptions& amd);

}  // namespace ke::hip
