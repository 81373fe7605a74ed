#pragma once
// The CUDA evaluator: a compile pool beside one exclusive lane a GPU.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/evaluator.hpp"
#include "core/params.hpp"
#include "fitness/content/reference.hpp"
#include "fitness/gpu/gpu_compiler.hpp"
#include "fitness/gpu/gpu_judge.hpp"
#include "fitness/gpu/nsight_compute.hpp"
#include "fitness/gpu/nvrtc_dialect.hpp"
#include "fitness/host/python_home.hpp"
#include "fitness/task.hpp"

namespace ke::gpu {

/// Options of the CUDA evaluator; `read` declares them.
struct GpuOptions {
  std::string tools_dir;        ///< folder of kernelevolve-cuda
  std::vector<int> gpus = {0};  ///< a lane each; empty = all that the driver sees
  std::string nvrtc;
  std::string arch = "sm_90a";  ///< that kernels are compiled for where no GPU is asked
  std::int64_t compile_threads = 2;
  std::int64_t compile_limit_ms = 30'000;
  GpuRules rules;
  Profiled profile = Profiled::champions;
  std::shared_ptr<const NvrtcDialect> dialect = nullptr;     ///< beside CUDA, for NVRTC; not read
  std::shared_ptr<const Driver> driver = nullptr;            ///< null = the NVIDIA driver; not read
  std::shared_ptr<const DeviceCompiler> compiler = nullptr;  ///< of the GPU; not read
  std::shared_ptr<const GpuCompiler> dsl;  ///< for NVRTC; null = Python DSLs are refused
  /// Runs baselines in Python, with PyTorch for these GPUs. Null = there are none; not read.
  std::shared_ptr<const PythonHome> python = nullptr;
  bool autotuned_baseline = false;
  bool sheet = false;             ///< whether info() holds a device sheet; not read
  std::string sheet_tail;         ///< lines that end it; not read
  LaneTime* lane_time = nullptr;  ///< not read; gets the lane's time so far before each fact

  static GpuOptions read(Params& device);
};

/// Starts the threads. `reference` is the task's oracle, in this process. Errors: no driver, no
/// device, GPUs of two models, no memory there, no compiler, no helper program; each says what to
/// do.
Result<std::unique_ptr<Evaluator>> make_gpu_evaluator(std::shared_ptr<const Task> task,
                                                      Reference reference,
                                                      const GpuOptions& options);

}  // namespace ke::gpu
