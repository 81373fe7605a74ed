#include "fitness/host/lane.hpp"

#include <mutex>

#include "fitness/content/contents.hpp"
#include "fitness/host/host.hpp"
#include "fitness/host/lane_lock.hpp"

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
  bench.python = options.python.get();
  bench.call_limit_ns = options.call_limit_ms * 1'000'000;
  return bench;
}

}  // namespace

CpuOptions CpuOptions::read(Params& device) {
  CpuOptions options;
  options.compile_threads = device.integer(
      "compile_threads", 0, {0, 256}, "compilers at a time; 0 = all processors but the lane's");
  options.lane_core = device.integer("lane_core", -1, {-1, 4095},
                                     "processor that times kernels; -1 = the last one");
  options.sandbox = device.choice("sandbox", "auto", {"auto", "namespaces", "landlock", "rlimits"},
                                  "walls around compilers and kernels; auto = the strongest");
  options.cold = device.choice("cache", "llc", {"llc", "cold"},
                               "where tensors lie when a timed call begins: as filling them left "
                               "them in the last-level cache, or in memory alone") == "cold";
  options.compiler = device.text("compiler", "/usr/bin/g++", "path of g++");
  options.call_limit_ms = device.duration_ms("call_limit", "2s", {10, 600'000},
                                             "time for one call, beside 20 times the opponent's");
  options.load_limit_ms =
      device.duration_ms("load_limit", "2s", {10, 600'000}, "time for loading a kernel's library");
  options.rules.read(device, 4, "4s");
  return options;
}

int lane_core(const CpuOptions& options, const std::vector<int>& cores) {
  if (options.lane_core >= 0) return static_cast<int>(options.lane_core);
  return cores.empty() ? 0 : cores.back();
}

void serve_lane(JobQueues<CpuArms>& queues, const Lane& lane, int core) {
  Watchdog watchdog;  // before the lane reserves its core
  // At the level rlimits a candidate may leave a process behind that still writes.
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
  const auto python_folder = JobFolder::create(lane.options.scratch);
  if (python_folder) bench.python_folder = &*python_folder;
  CpuJudge judge(bench, lane.libraries, lane.options.rules, queues.closing());
  serve_ready(queues, [&](const Job& job, const CpuArms& arms, Fact& fact) -> Result<void> {
    std::unique_lock machine(lane.machine, std::defer_lock);
    if (alone) machine.lock();
    const LaneLock turn(alone ? -1 : core, queues.closing(), lane.options.tell);
    if (!contents) return contents.error();
    if (!python_folder) return python_folder.error();
    KE_TRY_VOID(judge.run(job, arms, fact));
    return lane.reference.health();
  });
  lane.reference.leave();
}

}  // namespace ke
