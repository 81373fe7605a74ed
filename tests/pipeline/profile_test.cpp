// A profiler's figures for a duel's winner are stored with that candidate, also in a replay.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/feedback_record.hpp"
#include "tests/support/function_run.hpp"

namespace ke {
namespace {

/// The function's evaluator on a machine with a profiler, which examines winning challengers.
/// Counters differ at each look; `answers` = false refuses every job.
class ProfilingMachine final : public ChangedFunction {
 public:
  ProfilingMachine(const FunctionOptions& options, bool answers)
      : ChangedFunction(options), answers_(answers) {}
  Result<void> submit(const Job& job) override {
    if (!answers_) return Error{Failure::replay_miss, "asked"};
    return ChangedFunction::submit(job);
  }
  int looks = 0;

 private:
  void change(const Job& job, Fact& fact) override {
    if (job.kind != JobKind::duel || !fact.comparison) return;
    if (fact.comparison->decision != Decision::better) return;
    fact.measures["ncu_dram_pct"] = ++looks;
    add_profile(fact.feedback, {"memory-bound"});
  }

  bool answers_;
};

/// Values of the counter, by candidate.
std::map<LogicalId, double> profiled(const MemoryRun& memory) {
  std::map<LogicalId, double> values;
  for (const CandidatePtr& candidate : memory.candidates()) {
    const auto found = candidate->evaluation.measures.find("ncu_dram_pct");
    const bool told = !profile_of(candidate->evaluation.feedback).empty();
    EXPECT_EQ(told, found != candidate->evaluation.measures.end());
    if (told) values[candidate->id] = found->second;
  }
  return values;
}

TEST(Profile, winners_of_duels_carry_it_and_a_replay_needs_no_profiler) {
  FunctionRun run;
  run.function.noisy = true;
  run.limits = {0, 200};
  MemoryRun live;
  ProfilingMachine machine(run.function, true);
  const auto stop = live.search(make_plan(run), machine);
  ASSERT_TRUE(stop) << stop.error().message;
  ASSERT_GT(machine.looks, 0);
  const auto values = profiled(live);
  EXPECT_FALSE(values.empty());
  std::set<LogicalId> winners;
  for (const StepRecord& step : live.history.steps()) {
    for (const ArchiveEvent& event : step.events) {
      if (event.decision == Decision::better) winners.insert(event.challenger);
    }
  }
  for (const auto& [id, value] : values) EXPECT_TRUE(winners.contains(id)) << id.text();

  ProfilingMachine absent(run.function, false);
  MemoryRun replay{{}, live.facts};
  const auto replayed = replay.search(make_plan(run), absent);
  ASSERT_TRUE(replayed) << replayed.error().message;
  EXPECT_EQ(replayed->history_hash, stop->history_hash);
  EXPECT_EQ(profiled(replay), values);
}

}  // namespace
}  // namespace ke
