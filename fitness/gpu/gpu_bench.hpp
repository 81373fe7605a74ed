#pragma once
// Makes one call of one kernel: places its tensors, launches it in a worker, and judges it.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fitness/content/shapes.hpp"
#include "fitness/gpu/gpu_compiler.hpp"
#include "fitness/gpu/gpu_contents.hpp"
#include "fitness/gpu/gpu_device.hpp"
#include "fitness/gpu/gpu_memory.hpp"
#include "fitness/gpu/gpu_watch.hpp"
#include "fitness/gpu/helper_process.hpp"
#include "fitness/gpu/worker_protocol.hpp"
#include "fitness/host/python_home.hpp"
#include "fitness/judging/finding.hpp"
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

/// Times of a call on both clocks, and its finding.
struct GpuSample {
  std::int64_t event_ns = 0;  ///< on the device, all stages
  std::int64_t host_ns = 0;   ///< on the judge's own clock, including flush and messages
  double margin = 0;
  std::optional<Finding> finding;
};

/// A lane's wall time by activity, in ns.
struct LaneTime {
  std::int64_t load = 0;      ///< loading modules, including starts of workers
  std::int64_t contents = 0;  ///< drawing inputs and calling the oracle, on the host
  std::int64_t place = 0;     ///< filling and poisoning buffers before calls
  std::int64_t call = 0;      ///< from a request to its answer, including cache flushes
  std::int64_t inspect = 0;   ///< comparing results of calls
  /// the share of all times above that was spent before a job's first timed call
  std::int64_t check = 0;
};

struct CallRules {
  bool cold = true;  ///< flush caches before the span
  std::int64_t limit_ms = 2000;
};

/// Lives on the lane's thread.
class GpuBench {
 public:
  /// All arguments are borrowed. Each arm has its own worker; `module` serves an arm that is a
  /// Python baseline.
  GpuBench(const Task& of, const GpuInfo& on, GpuMemory& shared, GpuContents& secret,
           GpuWatch& clocks, std::array<GpuWorker*, 2> workers, ModuleWorker& module)
      : task(of),
        gpu(on),
        memory(shared),
        contents(secret),
        watch(clocks),
        workers_(workers),
        module_(module) {}

  /// Loads an arm's module, if needed or if `fresh`. Returns a finding when loading fails.
  Result<std::optional<Finding>> load(int arm, const GpuBuiltPtr& built, bool fresh);
  /// Calls the loaded arm.
  Result<GpuSample> call(int arm, const Workload& workload, const FreshContent& content,
                         const CallRules& rules);
  /// Ends an arm's process.
  void drop(int arm) { workers_[static_cast<std::size_t>(arm)]->drop(); }

  const Task& task;
  const GpuInfo& gpu;
  GpuMemory& memory;
  GpuContents& contents;
  GpuWatch& watch;
  LaneTime time;

 private:
  struct Arm {
    GpuBuiltPtr built;
    std::map<std::string, ResolvedPlan> plans;
    std::int64_t calls = 0;
  };
  using Checked = Result<std::optional<Finding>>;
  Checked plan_for(int arm, const Workload& workload, const ResolvedPlan*& plan);
  Checked check_parameters(int arm, const ResolvedPlan& plan);
  Result<WorkerAnswer> ask(int arm, const WorkerRequest& request, std::int64_t limit_ms);

  Result<GpuSample> call_module(const Workload& workload, const FreshContent& content,
                                const CallRules& rules);

  std::array<GpuWorker*, 2> workers_;
  ModuleWorker& module_;
  Arm arms_[2];
};

}  // namespace ke::gpu
