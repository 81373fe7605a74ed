#pragma once
// HIP kernels: judged by the CUDA evaluator, on an NVIDIA GPU through CUDA or on an AMD GPU through
// the HIP runtime, or only compiled for AMD GPUs.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/evaluator.hpp"
#include "core/params.hpp"
#include "fitness/content/reference.hpp"
#include "fitness/gpu/gpu_device.hpp"
#include "fitness/gpu/gpu_evaluator.hpp"
#include "fitness/hip/amd_builder.hpp"
#include "fitness/task.hpp"

namespace ke::hip {

/// What runs kernels.
struct RuntimeOptions {
  std::string vendor = "auto";   ///< nvidia | amd
  std::string hip_library = "";  ///< "" = usual places
};

/// The HIP runtime, or null = the NVIDIA driver. `auto` takes HIP where it sees a GPU; neither is
/// an error then. Error: HIP was asked for, by the vendor or the library, and cannot be had.
Result<std::shared_ptr<const gpu::Driver>> choose_runtime(const RuntimeOptions& options);

/// Options beside those of the CUDA evaluator; `read` declares them.
struct HipOptions {
  AmdOptions amd;
  RuntimeOptions runtime;
  std::string sandbox = "auto";  ///< the level asked for; whoever probes sets amd.tools.level
  std::string python;            ///< "" = none; whoever finds it sets amd.dsl

  static HipOptions read(Params& device);
};

/// Makes the compiler for an NVIDIA GPU, with `options.dialect`. The task is borrowed.
using MakeCompiler = std::function<std::shared_ptr<const gpu::DeviceCompiler>(
    const Task& task, const gpu::GpuOptions& options)>;

/// A kernel that a target refuses is refused. `reference` is the task's oracle, in this process.
/// Errors: those of the CUDA evaluator and of choose_runtime; targets, or an AMD GPU, and no
/// compiler for it.
Result<std::unique_ptr<Evaluator>> make_hip_evaluator(std::shared_ptr<const Task> task,
                                                      Reference reference, gpu::GpuOptions options,
                                                      const AmdOptions& amd,
                                                      const RuntimeOptions& runtime,
                                                      const MakeCompiler& on_nvidia);

/// Answers builds alone, without any GPU; other jobs are lost. Errors: no targets, no compiler.
Result<std::unique_ptr<Evaluator>> make_amd_compiler(std::shared_ptr<const Task> task,
                                                     const AmdOptions& amd);

/// What HIP offers here: the compiler for AMD GPUs, tried on each target, the runtime with a line
/// an AMD GPU or what is missing, and where kernels run. `library`: of HIP, "" = usual places.
std::vector<gpu::ProbeLine> probe_hip(const AmdOptions& amd, const std::string& library);

}  // namespace ke::hip
