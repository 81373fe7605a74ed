#include "fitness/host/lane.hpp"

#include <mutex>

#include "fitness/content/contents.hpp"
#include "fitness/host/host.hpp"

namespace ke {
namespace {

Bench bench_of(const Task& task, const CpuOptions& options) {
  Bench bench;
  bench.task = &task;
  bench.tools_dir = options.tools_dir;
  bench.scratch = options.scratch;
  bench.level = options.level;
  bench.load_limit_ns = options.load_limit_ms * 1'000'000;
  bench.cold = options.cold;
  bench.readable = options.readable;
  bench.call_limit_ns = options.call_limit_ms * 1'000'000;
  return bench;
}

}  // namespace

int lane_core(const CpuOptions& options, const std::vector<int>& cores) {
  if (options.lane_core >= 0) return static_cast<int>(options.lane_core);
  return cores.empty() ? 0 : cores.back();
}

void serve_lane(JobQueues<CpuArms>& queues, const Lane& lane, int core) {
  Watchdog watchdog;  // before the lane takes its core for itself
  // Below these levels a candidate may leave a process that still writes.
  MemoryPool memory(lane.options.level != SandboxLevel::rlimits);
  const bool alone = lane.task.threads > 1;
  if (!alone) {
    bind_thread({core});
    prefer_thread();
  }
  auto contents = Contents::create(lane.task, lane.reference);
  Bench bench = bench_of(lane.task, lane.options);
  bench.watchdog = &watchdog;
  bench.memory = &memory;
  if (contents) bench.contents = &*contents;
  CpuJudge judge(bench, lane.libraries, lane.options.rules, queues.closing());
  serve_ready(queues, [&](const Job& job, const CpuArms& arms, Fact& fact) -> Result<void> {
    std::unique_lock machine(lane.machine, std::defer_lock);
    if (alone) machine.lock();
    if (!contents) return contents.error();
    KE_TRY_VOID(judge.run(job, arms, fact));
    return lane.reference.health();
  });
}

}  // namespace ke
