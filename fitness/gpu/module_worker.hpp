#pragma once
// A Python baseline on a GPU: computes a task's reference as its users would, eager or compiled, in
// its own process.

#include <cstdint>
#include <memory>
#include <string>

#include "fitness/content/shapes.hpp"
#include "fitness/gpu/gpu_memory.hpp"
#include "fitness/gpu/helper_process.hpp"
#include "fitness/gpu/module_baseline.hpp"
#include "fitness/host/bench.hpp"
#include "fitness/host/python_home.hpp"
#include "fitness/task.hpp"

namespace ke::gpu {

struct ModuleAnswer {
  std::string failure;  ///< "" = success
  std::int64_t event_ns = 0;
  std::int64_t host_ns = 0;  ///< includes the flush, like a worker's call; measured by events too
};

/// Trusted, unlike GpuWorker. One process serves all clusters of a job, because importing PyTorch
/// and compiling the module take longer than the timed calls.
class ModuleWorker {
 public:
  /// Borrows all but `python`; null = there are no such baselines.
  ModuleWorker(const Task& task, std::shared_ptr<const PythonHome> python, int index,
               const GpuMemory& memory)
      : task_(task), python_(std::move(python)), index_(index), memory_(memory) {}

  /// Starts the process unless it runs already. Error: it does not start, and why.
  Result<void> load(const ModuleBaseline& baseline);
  /// Makes one call on the tensors at `offsets` of the shared memory, which leaves the results in
  /// the outputs. The first call of a shape also builds, compiles and warms up, untimed.
  Result<ModuleAnswer> call(const Shapes& shapes, const std::vector<std::int64_t>& offsets,
                            std::int64_t flush_bytes);

 private:
  Result<ModuleAnswer> ask(const std::string& request);

  const Task& task_;
  std::shared_ptr<const PythonHome> python_;
  int index_;
  const GpuMemory& memory_;
  std::string loaded_;  ///< language of the running process
  std::unique_ptr<TemporaryFile> source_, layout_;
  std::unique_ptr<HelperProcess> process_;
};

}  // namespace ke::gpu
