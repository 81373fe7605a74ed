#pragma once
// The CUDA evaluator: a compile pool, and one exclusive lane per GPU.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/evaluator.hpp"
#include "core/params.hpp"
#include "fitness/content/reference.hpp"
#include "fitness/gpu/gpu_compiler.hpp"
#include "fitness/gpu/gpu_judge.hpp"
#include "fitness/gpu/nsight_compute.hpp"
#include "fitness/host/python_home.hpp"
#include "fitness/task.hpp"

namespace ke::gpu {

/// Options of the CUDA evaluator; `read` declares them.
struct GpuOptions {
  std::string tools_dir;        ///< folder of kernelevolve-cuda
  std::vector<int> gpus = {0};  ///< one lane each; empty = all GPUs that the driver lists
  std::string nvrtc;
  std::string arch = "sm_90a";  ///< target of builds when no GPU is queried
  std::int64_t compile_threads = 2;
  std::int64_t compile_limit_ms = 30'000;
  GpuRules rules;
  Profiled profile = Profiled::champions;
  std::shared_ptr<const NvrtcDialect> dialect = nullptr;  ///< a second language for NVRTC; not read
  std::shared_ptr<const Driver> driver = nullptr;         ///< null = the NVIDIA driver; not read
  std::shared_ptr<const DeviceCompiler> compiler = nullptr;  ///< the GPU's compiler; not read
  std::shared_ptr<const GpuCompiler> dsl;  ///< with NVRTC; null = Python DSLs are refused
  /// Runs Python baselines, with PyTorch for these GPUs. Null = no such baselines; not read.
  std::shared_ptr<const PythonHome> python = nullptr;
  bool autotuned_baseline = false;
  bool sheet = false;      ///< whether info() holds a device sheet; not read
  std::string sheet_tail;  ///< final lines of the sheet; not read
  /// Called with lines for people by threads that wait for a GPU; may be null; not read.
  std::function<void(const std::string& line)> tell = nullptr;
  LaneTime* lane_time = nullptr;  ///< not read; receives the lane's time so far before each fact

  static GpuOptions read(Params& device);
};

/// Starts the threads. `reference` is the task's oracle, in this process. Errors: no driver, no
/// device, GPUs of two models, too little device memory, no compiler, no helper program; each says
/// what to do.
Result<std::unique_ptr<Evaluator>> make_gpu_evaluator(std::shared_ptr<const Task> task,
                                                      Reference reference,
                                                      const GpuOptions& options);

}  // namespace ke::gpu
