// Overhead per candidate of search, archive and store, without compiling or measuring. Run with
// --benchmark_filter=; each row is one whole run and reports CPU microseconds per candidate,
// separately for its first and last tenth, to show growth with the run's length.

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>

#include "archive/sqlite_store.hpp"
#include "tests/support/function_run.hpp"
#include "tests/support/memory_fact_log.hpp"
#include "tests/support/memory_history.hpp"

namespace ke {
namespace {

double cpu_us() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto us = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec);
  };
  return us(usage.ru_utime) + us(usage.ru_stime);
}

/// Records CPU time at each commit.
class Meter final : public SearchObserver {
 public:
  void on_commit(const StepRecord&, const SearchStatus&) override { at_us.push_back(cpu_us()); }
  std::vector<double> at_us;
};

double median_step(const std::vector<double>& at_us, std::size_t from, std::size_t to) {
  std::vector<double> steps;
  for (std::size_t i = from + 1; i < to; ++i) steps.push_back(at_us[i] - at_us[i - 1]);
  std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2),
                   steps.end());
  return steps[steps.size() / 2];
}

void report(benchmark::State& state, const Meter& meter) {
  const std::size_t n = meter.at_us.size();
  state.counters["p50_first_tenth_us"] = median_step(meter.at_us, 0, n / 10);
  state.counters["p50_last_tenth_us"] = median_step(meter.at_us, n - n / 10, n);
  state.counters["mean_us"] = (meter.at_us.back() - meter.at_us.front()) / static_cast<double>(n);
}

FunctionRun sized(std::int64_t candidates) {
  FunctionRun run;
  run.limits = {candidates, 0};
  run.function.dimensions = 12;
  run.migrate_every = 50;
  return run;
}

void search_with(benchmark::State& state, FactLog& facts, History& history, Meter& meter) {
  const FunctionRun run = sized(state.range(0));
  const auto evaluator = make_function_evaluator(run.function);
  const CountingStop never;
  Search search(make_plan(run), {*evaluator, facts, history, meter, never, never});
  const auto stop = search.run();
  if (!stop) state.SkipWithError(stop.error().message.c_str());
}

void candidate_in_memory(benchmark::State& state) {
  for (auto _ : state) {
    MemoryFactLog facts;
    MemoryHistory history;
    Meter meter;
    search_with(state, facts, history, meter);
    report(state, meter);
  }
}
BENCHMARK(candidate_in_memory)->Arg(1000)->Arg(50000)->Iterations(1)->Unit(benchmark::kMillisecond);

void candidate_in_sqlite(benchmark::State& state) {
  const auto path = std::filesystem::temp_directory_path() / "search_bench.kev";
  for (auto _ : state) {
    for (const char* suffix : {"", "-wal", "-shm", ".lock"}) {
      std::filesystem::remove(path.string() + suffix);
    }
    const auto store = SqliteStore::open(path.string(), {.full_sync = false});
    if (!store) {
      state.SkipWithError(store.error().message.c_str());
      return;
    }
    Meter meter;
    search_with(state, (*store)->facts(), (*store)->history(), meter);
    report(state, meter);
  }
}
BENCHMARK(candidate_in_sqlite)->Arg(1000)->Arg(50000)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ke
