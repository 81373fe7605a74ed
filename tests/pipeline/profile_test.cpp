// A profiler's figures for a duel's winner are stored with that candidate, also in a replay.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/feedback_record.hpp"
#include "tests/support/function_run.hpp"
#include "tests/support/memory_fact_log.hpp"
#include "tests/support/memory_history.hpp"

namespace ke {
namespace {

/// The function's evaluator on a machine with a profiler, which examines winning challengers.
/// Counters differ at each look; `answers` = false refuses every job.
class ProfilingMachine final : public Evaluator {
 public:
  ProfilingMachine(const FunctionOptions& options, bool answers)
      : inner_(make_function_evaluator(options)), answers_(answers) {}
  const EvaluatorInfo& info() const override { return inner_->info(); }
  Result<void> submit(const Job& job) override {
    if (!answers_) return Error{Failure::replay_miss, "asked"};
    if (job.kind == JobKind::duel) duels_.insert(job.key);
    return inner_->submit(job);
  }
  std::vector<Fact> poll(std::chrono::milliseconds wait) override {
    std::vector<Fact> facts = inner_->poll(wait);
    for (Fact& fact : facts) {
      if (!duels_.contains(fact.key) || !fact.comparison) continue;
      if (fact.comparison->decision != Decision::better) continue;
      fact.measures["ncu_dram_pct"] = ++looks;
      add_profile(fact.feedback, {"memory-bound"});
    }
    return facts;
  }
  void cancel(const Digest& key) override { inner_->cancel(key); }

  int looks = 0;

 private:
  std::unique_ptr<Evaluator> inner_;
  bool answers_;
  std::set<Digest> duels_;
};

struct Searched {
  MemoryHistory history;
  StopRecord stop;
};

Searched search(const FunctionRun& run, Evaluator& machine, MemoryFactLog& facts) {
  Searched searched;
  SearchObserver observer;
  const CountingStop never;
  Search whole(make_plan(run), {machine, facts, searched.history, observer, never, never});
  auto stop = whole.run();
  EXPECT_TRUE(stop) << stop.error().message;
  if (stop) searched.stop = *stop;
  return searched;
}

/// Values of the counter, by candidate.
std::map<LogicalId, double> profiled(const MemoryHistory& history) {
  std::map<LogicalId, double> values;
  for (const StepRecord& step : history.steps()) {
    for (const CandidatePtr& candidate : step.candidates) {
      const auto found = candidate->evaluation.measures.find("ncu_dram_pct");
      const bool told = !profile_of(candidate->evaluation.feedback).empty();
      EXPECT_EQ(told, found != candidate->evaluation.measures.end());
      if (told) values[candidate->id] = found->second;
    }
  }
  return values;
}

TEST(Profile, winners_of_duels_carry_it_and_a_replay_needs_no_profiler) {
  FunctionRun run;
  run.function.noisy = true;
  run.limits = {0, 200};
  MemoryFactLog facts;
  ProfilingMachine machine(run.function, true);
  const Searched live = search(run, machine, facts);
  ASSERT_GT(machine.looks, 0);
  const auto values = profiled(live.history);
  EXPECT_FALSE(values.empty());
  std::set<LogicalId> winners;
  for (const StepRecord& step : live.history.steps()) {
    for (const ArchiveEvent& event : step.events) {
      if (event.decision == Decision::better) winners.insert(event.challenger);
    }
  }
  for (const auto& [id, value] : values) EXPECT_TRUE(winners.contains(id)) << id.text();

  ProfilingMachine absent(run.function, false);
  const Searched replayed = search(run, absent, facts);
  EXPECT_EQ(replayed.stop.history_hash, live.stop.history_hash);
  EXPECT_EQ(profiled(replayed.history), values);
}

}  // namespace
}  // namespace ke
