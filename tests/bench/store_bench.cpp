// CPU time of the store per candidate, and whether it grows over 50,000 of them.

#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "archive/sqlite_store.hpp"

namespace ke {
namespace {

constexpr std::int64_t block = 5'000;

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

double quantile(std::vector<double> values, double q) {
  const auto at = static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

Kernel kernel_of(std::int64_t n) {
  Kernel kernel;
  kernel.name = "tiled.cpp";
  kernel.source = std::string(6'000, static_cast<char>('a' + n % 4));
  for (int i = 0; i < 8; ++i) kernel.knobs["KNOB_" + std::to_string(i)] = std::to_string(n >> i);
  kernel.flags = {"-O3", "-march=native", "", "-funroll-loops", ""};
  return kernel;
}

Comparison comparison_of(int workloads, int clusters, int samples) {
  Comparison comparison{Decision::better, 1.5, {1.4, 1.6}, 0.01, {}};
  for (int w = 0; w < workloads; ++w) {
    WorkloadTiming timing{"rows=" + std::to_string(w), "bench", 1.5, {1.4, 1.6}, 1e6, 2e6, 0, {}};
    const auto count = static_cast<std::size_t>(samples);
    for (int c = 0; c < clusters; ++c) {
      timing.clusters.push_back({c, std::string(count, 'A'), std::vector<std::int64_t>(count, 999),
                                 std::vector<std::int64_t>(count, 998)});
    }
    comparison.workloads.push_back(timing);
  }
  return comparison;
}

Fact fact_of(const std::string& key, std::int64_t n) {
  Fact fact;
  fact.key = sha256(key + std::to_string(n));
  fact.verdict = Verdict::ok;
  fact.build_hash = sha256(std::to_string(n));
  fact.measures = {
      {"branches", 0.1}, {"code_bytes", 900}, {"intensity", 2.5}, {"scratch", 0}, {"width", 256}};
  fact.feedback = std::string(900, 'f') + std::to_string(n);
  return fact;
}

// Records of one candidate of a CPU run: a build, a screen, a duel for every fourth, and its step.
struct Work {
  Job job;
  std::vector<std::pair<JobKind, Fact>> facts;
  StepRecord record;
};

Work work_of(std::int64_t n) {
  Work work;
  work.job.kernel = kernel_of(n);
  auto candidate = std::make_shared<Candidate>();
  candidate->id = {n, 0, 0};
  candidate->operator_name = "knob_step";
  if (n > 0) candidate->ancestors = {{{(n * 7919) % n, 0, 0}, ParentRole::parent}};
  candidate->kernel = work.job.kernel;
  candidate->genome_hash = candidate->kernel.genome_hash();
  Fact build = fact_of("build", n);
  Fact screen = fact_of("screen", n);
  screen.comparison = comparison_of(3, 1, 20);
  candidate->evaluation = {
      Verdict::ok,     "", "",  build.build_hash, 1.5, {1.4, 1.6}, build.measures,
      screen.feedback, {}, true};
  ArchiveEvent event{"island",
                     candidate->id,
                     static_cast<std::size_t>(n % 64),
                     {},
                     Addition::rejected,
                     Decision::none,
                     {},
                     {},
                     false};
  work.facts = {{JobKind::build, build}, {JobKind::screen, screen}};
  if (n % 4 == 1) {
    Fact duel = fact_of("duel", n);
    duel.comparison = comparison_of(3, 4, 48);
    event.incumbent = LogicalId{n - 1, 0, 0};
    event.decision = Decision::worse;
    event.duel_key = duel.key;
    work.facts.emplace_back(JobKind::duel, duel);
  }
  work.record.index = n;
  work.record.step = n;
  work.record.candidates = {candidate};
  work.record.fact_keys = {{build.key, screen.key}};
  work.record.events = {event, event};
  work.record.events[1].archive = "passive";
  work.record.history_hash = sha256(std::to_string(n));
  return work;
}

void store_candidate(SqliteStore& store, Work& work, benchmark::State& state) {
  for (const auto& [kind, fact] : work.facts) {
    work.job.key = fact.key;
    work.job.kind = kind;
    if (const auto done = store.facts().append(work.job, fact); !done) {
      return state.SkipWithError(done.error().message.c_str());
    }
  }
  if (const auto done = store.history().commit(work.record); !done) {
    state.SkipWithError(done.error().message.c_str());
  }
}

void store_candidates(benchmark::State& state) {
  const auto path = std::filesystem::temp_directory_path() / "ke_store_bench.kev";
  for (auto _ : state) {
    std::filesystem::remove(path);
    auto opened = SqliteStore::open(path.string(), {.full_sync = false});
    if (!opened) return state.SkipWithError(opened.error().message.c_str());
    SqliteStore& store = **opened;
    if (const auto begun = store.history().begin({}); !begun) {
      return state.SkipWithError(begun.error().message.c_str());
    }
    std::vector<double> times;
    for (std::int64_t n = 0; n < state.range(0); ++n) {
      Work work = work_of(n);
      const double start = cpu_ms();
      store_candidate(store, work, state);
      times.push_back(cpu_ms() - start);
    }
    const std::vector<double> first(times.begin(), times.begin() + block);
    const std::vector<double> last(times.end() - block, times.end());
    double sum = 0;
    for (const double time : times) sum += time;
    state.counters["p50_first_ms"] = quantile(first, 0.5);
    state.counters["p50_last_ms"] = quantile(last, 0.5);
    state.counters["p99_last_ms"] = quantile(last, 0.99);
    state.counters["mean_ms"] = sum / static_cast<double>(times.size());
  }
  state.counters["bytes_per_candidate"] =
      static_cast<double>(std::filesystem::file_size(path)) / static_cast<double>(state.range(0));
  std::filesystem::remove(path);
}
BENCHMARK(store_candidates)->Arg(10'000)->Arg(50'000)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace ke
