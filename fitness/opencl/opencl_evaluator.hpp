#pragma once
// The OpenCL evaluator: programs of PoCL, judged and timed on this CPU like C++ kernels.

#include <memory>
#include <string>
#include <vector>

#include "core/evaluator.hpp"
#include "core/params.hpp"
#include "fitness/content/reference.hpp"
#include "fitness/host/lane.hpp"
#include "fitness/task.hpp"

namespace ke::opencl {

/// Options of the evaluator; `read` declares them.
struct OpenclOptions {
  CpuOptions cpu;  ///< for the lane, and the oracle's compiler
  std::int64_t compile_limit_ms = 20'000;

  static OpenclOptions read(Params& device);
};

/// The device, for `doctor`. Error: why there is none.
Result<std::string> probe_opencl(const std::string& tools_dir, SandboxLevel level);

/// Starts the threads. `reference` is the task's oracle, in this process. Errors: no PoCL, a task
/// with threads.
Result<std::unique_ptr<Evaluator>> make_opencl_evaluator(std::shared_ptr<const Task> task,
                                                         Reference reference,
                                                         const OpenclOptions& options);

}  // namespace ke::opencl
