#pragma once
// Judges HIP kernels with the CUDA evaluator, on an NVIDIA GPU through CUDA or on an AMD GPU
// through the HIP runtime, or only compiles them for AMD GPUs.

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

/// Selects the runtime for kernels.
struct RuntimeOptions {
  std::string vendor = "auto";   ///< nvidia | amd
  std::string hip_library = "";  ///< "" = usual places
};

/// The HIP runtime, or null = the NVIDIA driver. `auto` takes HIP if it finds a GPU, and is never
/// an error. Error: the vendor or the library asks for HIP, which is not usable.
Result<std::shared_ptr<const gpu::Driver>> choose_runtime(const RuntimeOptions& options);

/// Options in addition to those of the CUDA evaluator; `read` declares them.
struct HipOptions {
  AmdOptions amd;
  RuntimeOptions runtime;
  std::string sandbox = "auto";  ///< requested level; the caller probes it and sets amd.tools.level
  std::string python;            ///< "" = none; the caller that finds it sets amd.dsl

  static HipOptions read(Params& device);
};

/// Makes the compiler for an NVIDIA GPU, with `options.dialect`. The task is borrowed.
using MakeCompiler = std::function<std::shared_ptr<const gpu::DeviceCompiler>(
    const Task& task, const gpu::GpuOptions& options)>;

/// Sets driver and compiler of the chosen runtime. The task is borrowed. Errors: those of
/// choose_runtime; targets or an AMD GPU without a compiler.
Result<void> set_runtime(const Task& task, const AmdOptions& amd, const RuntimeOptions& runtime,
                         const MakeCompiler& on_nvidia, gpu::GpuOptions& options);

/// Rejects a kernel that any target refuses. `reference` is the task's oracle, in this process.
/// Errors: those of the CUDA evaluator and of set_runtime.
Result<std::unique_ptr<Evaluator>> make_hip_evaluator(std::shared_ptr<const Task> task,
                                                      Reference reference, gpu::GpuOptions options,
                                                      const AmdOptions& amd,
                                                      const RuntimeOptions& runtime,
                                                      const MakeCompiler& on_nvidia);

/// Answers only builds, without any GPU; other jobs are lost. Errors: no targets, no compiler.
Result<std::unique_ptr<Evaluator>> make_amd_compiler(std::shared_ptr<const Task> task,
                                                     const AmdOptions& amd);

/// Describes HIP on this machine: the compiler, tried on each AMD target; the runtime, with one
/// line per AMD GPU or what is missing; and where kernels run. `library`: HIP's, "" = usual places.
std::vector<gpu::ProbeLine> probe_hip(const AmdOptions& amd, const std::string& library);

}  // namespace ke::hip
