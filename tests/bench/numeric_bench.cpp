// Solutions per CPU-second of the numeric loop, including the history hash of every batch, without
// a store: 100-D sphere, 100 x 100 cells, 540 solutions per batch, one thread. The arguments are
// iterations; the first batches are faster, because fewer solutions are copied.

#include <benchmark/benchmark.h>
#include <time.h>

#include "experiments/run/run_in_memory.hpp"
#include "tests/support/numeric_run.hpp"

namespace ke {
namespace {

using test::NumericKind;
using test::NumericRun;

double cpu_s() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

void solutions(benchmark::State& state, NumericRun run) {
  run.iterations = state.range(0);
  double spent = 0;
  double done = 0;
  for (auto _ : state) {
    ForgetfulHistory history;
    SearchObserver observer;
    const CountingStop never;
    NumericSearch search(test::make_plan(run), {history, observer, never, never});
    const double start = cpu_s();
    const auto stop = search.run();
    spent += cpu_s() - start;
    if (!stop) return state.SkipWithError(stop.error().message.c_str());
    done += static_cast<double>(stop->evaluations);
    ++run.seed;
  }
  state.counters["per_cpu_s"] = done / spent;
}

BENCHMARK_CAPTURE(solutions, gaussian, NumericRun{NumericKind::gaussian})->Arg(1000);
BENCHMARK_CAPTURE(solutions, line, NumericRun{NumericKind::line})->Arg(1000);
BENCHMARK_CAPTURE(solutions, rastrigin, NumericRun{NumericKind::gaussian, "rastrigin"})->Arg(1000);
BENCHMARK_CAPTURE(solutions, cma_me, NumericRun{NumericKind::cma_me})->Arg(1000);
BENCHMARK_CAPTURE(solutions, cma_mae, NumericRun{NumericKind::cma_mae})->Arg(1000);
BENCHMARK_CAPTURE(solutions, sep_cma_me,
                  NumericRun{NumericKind::cma_me, "sphere", 100, 1000, 0, 0.5, true})
    ->Arg(1000);

}  // namespace
}  // namespace ke
