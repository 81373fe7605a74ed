#pragma once
// The CUDA evaluator: a compile pool beside one exclusive lane a GPU.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/evaluator.hpp"
#include "core/params.hpp"
#include "fitness/content/reference.hpp"
#include "fitness/cuda/device_compiler.hpp"
#include "fitness/cuda/dialect.hpp"
#include "fitness/cuda/gpu_judge.hpp"
#include "fitness/cuda/nsight_compute.hpp"
#include "fitness/python/dsl_compiler.hpp"
#include "fitness/task.hpp"

namespace ke::cuda {

/// Options of the CUDA evaluator; `read` declares them.
struct CudaOptions {
  std::string tools_dir;        ///< folder of kernelevolve-cuda
  std::vector<int> gpus = {0};  ///< a lane each; empty = all that the driver sees
  std::string nvrtc;
  std::string arch = "sm_90a";  ///< that kernels are compiled for where no GPU is asked
  std::int64_t compile_threads = 2;
  std::int64_t compile_limit_ms = 30'000;
  GpuRules rules;
  Profiled profile = Profiled::champions;
  std::shared_ptr<const Dialect> dialect = nullptr;  ///< of kernels in another language; not read
  std::shared_ptr<const Driver> driver = nullptr;    ///< null = the NVIDIA driver; not read
  std::shared_ptr<const DeviceCompiler> compiler = nullptr;  ///< null = NVRTC; not read
  std::shared_ptr<const python::DslCompiler> dsl;  ///< null = kernels in Python DSLs are refused
  bool sheet = false;             ///< whether info() holds a device sheet; not read
  std::string sheet_tail;         ///< lines that end it; not read
  LaneTime* lane_time = nullptr;  ///< not read; gets the lane's time so far before each fact

  static CudaOptions read(Params& device);
};

/// Starts the threads. `reference` is the task's oracle, in this process. Errors: no driver, no
/// device, GPUs of two models, no memory there, no compiler, no helper program; each says what to
/// do.
Result<std::unique_ptr<Evaluator>> make_cuda_evaluator(std::shared_ptr<const Task> task,
                                                       Reference reference,
                                                       const CudaOptions& options);

}  // namespace ke::cuda
