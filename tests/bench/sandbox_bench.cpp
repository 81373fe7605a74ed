// Cost of the sandbox: starting and ending one process at each sandbox level, compared with a plain
// start, and the cost of judging a small kernel beyond compiling and timing it.

#include <benchmark/benchmark.h>
#include <spawn.h>
#include <sys/wait.h>

#include <string>

#include "experiments/run/evaluators/cpu.hpp"
#include "fitness/cpu/cpu_evaluator.hpp"
#include "fitness/sandbox/level.hpp"
#include "fitness/sandbox/process.hpp"
#include "tests/support/judge_kernel.hpp"

namespace ke {
namespace {

constexpr const char* nothing = "/bin/true";

void plain_spawn(benchmark::State& state) {
  for (auto _ : state) {
    pid_t pid = -1;
    char* const arguments[] = {const_cast<char*>(nothing), nullptr};
    if (posix_spawn(&pid, nothing, nullptr, nullptr, arguments, nullptr) != 0) {
      return state.SkipWithError("posix_spawn");
    }
    waitpid(pid, nullptr, 0);
  }
}
BENCHMARK(plain_spawn)->Unit(benchmark::kMillisecond)->UseRealTime();

void sandboxed_spawn(benchmark::State& state) {
  const auto bench = make_workbench("auto");
  if (!bench) return state.SkipWithError(bench.error().message.c_str());
  SandboxSpec spec;
  spec.tools_dir = bench->options.tools_dir;
  spec.argv = {nothing};
  spec.read_only = runtime_paths();
  spec.read_only.emplace_back(nothing);
  spec.level = static_cast<SandboxLevel>(state.range(0));
  spec.profile = SandboxProfile::compiler;
  state.SetLabel(std::string(name(spec.level)));
  for (auto _ : state) {
    auto process = spawn(spec);
    if (!process || !process->wait(std::chrono::seconds(10)).succeeded()) {
      return state.SkipWithError("this level does not start here");
    }
    process->kill_all();
  }
}
BENCHMARK(sandboxed_spawn)
    ->DenseRange(static_cast<int>(SandboxLevel::rlimits),
                 static_cast<int>(SandboxLevel::namespaces))
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// Screens conformance/softmax1d's vectorised kernel. Reports the judge's own CPU time, and the
/// time of lane and compiler, in ms per kernel.
void judging(benchmark::State& state) {
  const auto bench = make_workbench("auto");
  if (!bench) return state.SkipWithError(bench.error().message.c_str());
  const auto task = load_task("conformance/softmax1d", "");
  if (!task) return state.SkipWithError(task.error().message.c_str());
  const auto evaluator = make_cpu_evaluator(*task, bench->options);
  if (!evaluator) return state.SkipWithError(evaluator.error().message.c_str());
  double judge_ms = 0, lane_ms = 0, compile_ms = 0;
  std::int64_t number = 0;
  for (auto _ : state) {
    Job job;
    job.kind = JobKind::screen;
    const std::string source = *(*task)->kernel_source("anchor");
    job.kernel = *kernel_of_source("judged", "// " + std::to_string(++number) + "\n" + source, {});
    job.opponent = Opponent{"anchor", std::nullopt};
    job.key = digest_of(job);
    const auto fact = (*evaluator)->run_job(job);
    if (!fact || fact->verdict != Verdict::ok) {
      return state.SkipWithError("the kernel was not ok");
    }
    judge_ms += static_cast<double>(fact->cost.judge_cpu_ns) / 1e6;
    lane_ms += static_cast<double>(fact->cost.lane_ns) / 1e6;
    compile_ms += static_cast<double>(fact->cost.compile_ns) / 1e6;
  }
  const auto each = [](double sum) {
    return benchmark::Counter(sum, benchmark::Counter::kAvgIterations);
  };
  state.counters["judge_cpu_ms"] = each(judge_ms);
  state.counters["lane_ms"] = each(lane_ms);
  state.counters["compile_ms"] = each(compile_ms);
}
BENCHMARK(judging)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(20);

}  // namespace
}  // namespace ke
