#pragma once
// A whole search over a function, assembled for tests.

#include <map>
#include <memory>

#include "core/registry.hpp"
#include "core/search/search.hpp"
#include "fitness/function/function_evaluator.hpp"
#include "operators/registry.hpp"
#include "tests/support/cell_archive.hpp"
#include "tests/support/memory_fact_log.hpp"
#include "tests/support/memory_history.hpp"

namespace ke {

struct FunctionRun {
  std::int64_t seed = 1;
  std::int64_t islands = 3;
  std::int64_t lag = 2;
  std::int64_t rate_of_first = 1;
  std::int64_t batch = 1;
  std::string topology = "ring";
  std::int64_t migrate_every = 5;
  MigrationPolicy migration{.migrants = 2};
  Limits limits{0, 150};
  std::string strategy = "map_elites";
  FunctionOptions function;
};

/// A run whose figures are noisy and whose jobs fail now and then.
inline FunctionRun noisy_run() {
  FunctionRun run;
  run.function.noisy = true;
  run.function.failures = 0.1;
  return run;
}

inline SearchPlan make_plan(const FunctionRun& run) {
  SearchPlan plan;
  plan.header.seed = run.seed;
  plan.header.task = "function";
  plan.header.task_hash = sha256("function");
  plan.header.config_id = sha256("test");
  plan.devices = {
      {"function", "function", plan.header.task_hash, "", {function_seed(run.function)}, {}}};
  plan.limits = run.limits;
  plan.batch = run.batch;
  plan.migrate_every = run.migrate_every;
  plan.topology = find_component(topologies(), run.topology)->make;
  plan.passive = std::make_unique<CellArchive>(false);
  for (std::int64_t i = 0; i < run.islands; ++i) {
    ParamLog log;
    Params params(nullptr, "", log);
    IslandPlan island;
    island.strategy = find_component(strategies(), run.strategy)->make(params);
    island.archive = std::make_unique<CellArchive>(run.function.noisy);
    island.lag = run.lag;
    island.migration = run.migration;
    island.rate = i == 0 ? run.rate_of_first : 1;
    for (const auto& row : operators()) {
      const bool drawn =
          row.name == "knob_step" || row.name == "knob_crossover" || row.name == "random_restart";
      const double weight = drawn ? 1 : 0;
      island.operators.push_back({std::string(row.name), weight, row.make(params)});
    }
    plan.islands.push_back(std::move(island));
  }
  return plan;
}

/// Requests a stop after `limit` queries; never if it is negative.
class CountingStop final : public StopToken {
 public:
  explicit CountingStop(std::int64_t limit = -1) : left_(limit) {}
  bool stop_requested() const override {
    if (left_ > 0) --left_;
    return left_ == 0;
  }

 private:
  mutable std::int64_t left_;
};

/// A search with its history and facts in memory. Searching again resumes it.
struct MemoryRun {
  MemoryHistory history;
  MemoryFactLog facts;

  /// Searches to the end of the plan, or until the stop was asked for `stop_after` times.
  Result<StopRecord> search(SearchPlan plan, Evaluator& evaluator, std::int64_t stop_after = -1,
                            LlmClient* llm = nullptr, bool until_waiting = false) {
    const CountingStop stop(stop_after), never;
    SearchObserver observer;
    Search search(std::move(plan),
                  {evaluator, facts, history, observer, stop, never, llm, until_waiting});
    return search.run();
  }
  /// All candidates, in the order of their commits.
  std::vector<CandidatePtr> candidates() const {
    std::vector<CandidatePtr> list;
    for (const StepRecord& record : history.steps()) {
      list.insert(list.end(), record.candidates.begin(), record.candidates.end());
    }
    return list;
  }
};

/// The function's evaluator, whose answers a test changes.
class ChangedFunction : public Evaluator {
 public:
  explicit ChangedFunction(const FunctionOptions& options)
      : inner_(make_function_evaluator(options)) {}

  const EvaluatorInfo& info() const override { return inner_->info(); }
  Result<void> submit(const Job& job) override {
    jobs_.emplace(job.key, job);
    return inner_->submit(job);
  }
  std::vector<Fact> poll(std::chrono::milliseconds wait) override {
    std::vector<Fact> facts = inner_->poll(wait);
    for (Fact& fact : facts) change(jobs_.at(fact.key), fact);
    return facts;
  }
  void cancel(const Digest& key) override { inner_->cancel(key); }

 private:
  virtual void change(const Job& job, Fact& fact) = 0;

  std::unique_ptr<Evaluator> inner_;
  std::map<Digest, Job> jobs_;
};

}  // namespace ke
