#pragma once
// Makes one call of one kernel: places its tensors, launches it in a worker, and judges it.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "fitness/gpu/gpu_compiler.hpp"
#include "fitness/gpu/gpu_contents.hpp"
#include "fitness/gpu/gpu_device.hpp"
#include "fitness/gpu/gpu_memory.hpp"
#include "fitness/gpu/gpu_watch.hpp"
#include "fitness/gpu/gpu_worker.hpp"
#include "fitness/gpu/python_server.hpp"
#include "fitness/judging/finding.hpp"

namespace ke::gpu {

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
  /// All arguments are borrowed. Each arm has its own worker; `baselines` serves all arms that are
  /// Python baselines in all jobs, because importing PyTorch and compiling a module take longer
  /// than the timed calls.
  GpuBench(const Task& of, const GpuInfo& on, GpuMemory& shared, GpuContents& secret,
           GpuWatch& clocks, std::array<GpuWorker*, 2> workers, PythonServer& baselines)
      : task(of),
        gpu(on),
        memory(shared),
        contents(secret),
        watch(clocks),
        workers_(workers),
        baselines_(baselines) {}

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

  /// Makes one call, which leaves the results in the outputs. The first call of a shape also
  /// builds, compiles and warms up, untimed.
  Result<GpuSample> call_baseline(const std::string& name, const Workload& workload,
                                  const FreshContent& content, const CallRules& rules);

  std::array<GpuWorker*, 2> workers_;
  PythonServer& baselines_;
  Arm arms_[2];
};

}  // namespace ke::gpu
