#pragma once
// The judge's handle of one disposable GPU worker.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fitness/content/shapes.hpp"
#include "fitness/gpu/gpu_memory.hpp"
#include "fitness/gpu/helper_process.hpp"
#include "fitness/gpu/worker_protocol.hpp"
#include "fitness/host/python_home.hpp"
#include "fitness/task.hpp"

namespace ke::gpu {

class PythonServer;

struct ModuleAnswer {
  std::string failure;  ///< "" = success
  std::int64_t event_ns = 0;
  std::int64_t host_ns = 0;  ///< includes the flush, like a worker's call; measured by events too
};

/// One process serves all forms of the reference in all jobs, because importing PyTorch and
/// compiling the module take longer than the timed calls.
class ModuleWorker {
 public:
  /// Borrows all but `python`; null = there are no such baselines.
  ModuleWorker(const Task& task, std::shared_ptr<const PythonHome> python, int index,
               const GpuMemory& memory);
  ~ModuleWorker();

  /// Starts the process, unless it runs already, and does not wait for it.
  Result<void> start();
  /// Chooses what later calls compute, such as pytorch_compiled. Error: the process does not
  /// start, and why.
  Result<void> load(const std::string& baseline);
  /// Makes one call on the tensors at `offsets` of the shared memory, which leaves the results in
  /// the outputs. The first call of a shape also builds, compiles and warms up, untimed.
  Result<ModuleAnswer> call(const Shapes& shapes, const std::vector<std::int64_t>& offsets,
                            std::int64_t flush_bytes);

 private:
  const Task& task_;
  std::shared_ptr<const PythonHome> python_;
  int index_;
  const GpuMemory& memory_;
  std::string baseline_;
  std::unique_ptr<PythonServer> server_;
};

/// Starts a process on first use, and again after it was dropped.
class GpuWorker {
 public:
  /// `hip_library`: Driver::library; `cubin`: judge_kernels; `memory` is borrowed.
  GpuWorker(std::string tools_dir, int index, std::string hip_library, const GpuMemory& memory,
            std::string cubin)
      : tools_dir_(std::move(tools_dir)),
        index_(index),
        hip_library_(std::move(hip_library)),
        memory_(memory),
        cubin_(std::move(cubin)) {}

  /// Ends the process; the next request starts another.
  void drop() {
    process_.reset();
    loaded_.clear();
  }
  bool running() const { return process_ != nullptr; }

  /// Loads a build's modules unless they are already loaded; `fresh` always loads them.
  Result<WorkerAnswer> load(const Digest& build, const std::vector<std::string>& cubins,
                            bool fresh);
  /// Failures caused by a candidate are answers, not Errors; `status` is worker_ended or
  /// worker_silent when the process died or did not answer in time, and it is then dropped.
  Result<WorkerAnswer> ask(const WorkerRequest& request, std::chrono::milliseconds limit);

 private:
  Result<void> start();
  Result<WorkerAnswer> exchange(const WorkerRequest& request, std::chrono::milliseconds limit);

  std::string tools_dir_;
  int index_;
  std::string hip_library_;
  const GpuMemory& memory_;
  std::string cubin_;
  std::unique_ptr<HelperProcess> process_;
  std::string loaded_;
};

inline constexpr std::int64_t worker_ended = -1;
inline constexpr std::int64_t worker_silent = -2;

}  // namespace ke::gpu
