#include "core/search/search.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "tests/support/function_run.hpp"
#include "tests/support/sanitized.hpp"

namespace ke {
namespace {

/// Refuses every job, because a replay must not need one.
class NoEvaluator final : public Evaluator {
 public:
  explicit NoEvaluator(EvaluatorInfo info) : info_(std::move(info)) {}
  const EvaluatorInfo& info() const override { return info_; }
  Result<void> submit(const Job&) override { return Error{Failure::replay_miss, "asked"}; }
  std::vector<Fact> poll(std::chrono::milliseconds) override { return {}; }
  void cancel(const Digest&) override {}

 private:
  EvaluatorInfo info_;
};

StopRecord complete(FunctionRun run, std::int64_t lanes = 1) {
  run.function.lanes = lanes;
  run.function.delay_us = lanes > 1 ? 500 : 0;
  const auto evaluator = make_function_evaluator(run.function);
  auto stop = MemoryRun().search(make_plan(run), *evaluator);
  EXPECT_TRUE(stop) << stop.error().message;
  return *stop;
}

/// The memory of a whole run.
MemoryRun kept_run(const FunctionRun& run) {
  MemoryRun kept;
  EXPECT_TRUE(kept.search(make_plan(run), *make_function_evaluator(run.function)));
  return kept;
}

TEST(Search, history_does_not_depend_on_the_number_of_lanes) {
  for (FunctionRun run : {FunctionRun{}, noisy_run()}) {
    const Digest one = complete(run, 1).history_hash;
    EXPECT_EQ(complete(run, 2).history_hash, one);
    EXPECT_EQ(complete(run, 8).history_hash, one);
  }
}

TEST(Search, seeds_lags_batches_and_topologies_give_different_histories) {
  std::set<Digest> hashes;
  FunctionRun run;
  hashes.insert(complete(run).history_hash);
  run.seed = 2;
  hashes.insert(complete(run).history_hash);
  run.lag = 0;
  hashes.insert(complete(run).history_hash);
  run.batch = 4;
  hashes.insert(complete(run).history_hash);
  run.topology = "complete";
  hashes.insert(complete(run).history_hash);
  run.rate_of_first = 2;
  hashes.insert(complete(run).history_hash);
  EXPECT_EQ(hashes.size(), 6u);
}

// A small pace stops the run often: it takes longest.
const std::vector<std::int64_t> paces = test::sanitized ? std::vector<std::int64_t>{17, 200}
                                                        : std::vector<std::int64_t>{5, 17, 60, 200};

TEST(Search, a_run_that_is_stopped_again_and_again_ends_with_the_same_history) {
  const FunctionRun run = noisy_run();
  const Digest whole = complete(run).history_hash;
  for (const std::int64_t pace : paces) {
    FunctionRun slow = run;
    slow.function.lanes = 2;
    slow.function.delay_us = 200;
    MemoryRun kept;
    std::int64_t resumes = 0;
    for (;; ++resumes) {
      const auto evaluator = make_function_evaluator(slow.function);
      // A resumed run queries the token again for every replayed step, so the pace must grow.
      const auto stop = kept.search(make_plan(slow), *evaluator, pace * (resumes + 1));
      ASSERT_TRUE(stop) << stop.error().message;
      if (stop->reason != "interrupted") {
        EXPECT_EQ(stop->history_hash, whole);
        break;
      }
      ASSERT_LT(resumes, 1000);
    }
    EXPECT_GT(resumes, 0) << "the test must interrupt";
  }
}

TEST(Search, facts_alone_replay_the_run) {
  const FunctionRun run = noisy_run();
  const auto evaluator = make_function_evaluator(run.function);
  MemoryRun kept;
  const auto stop = kept.search(make_plan(run), *evaluator);
  ASSERT_TRUE(stop);
  NoEvaluator nobody(evaluator->info());
  MemoryRun replay{{}, kept.facts};
  const auto replayed = replay.search(make_plan(run), nobody);
  ASSERT_TRUE(replayed) << replayed.error().message;
  EXPECT_EQ(replayed->history_hash, stop->history_hash);
  EXPECT_EQ(replay.history.steps().size(), kept.history.steps().size());
}

TEST(Search, a_stored_history_of_another_run_is_noticed_at_its_first_step) {
  MemoryRun kept;
  FunctionRun run;
  run.limits.evaluations = 20;
  const auto evaluator = make_function_evaluator(run.function);
  ASSERT_TRUE(kept.search(make_plan(run), *evaluator));
  run.strategy = "random";  // the header does not distinguish them in this test, but the steps do
  const auto other = kept.search(make_plan(run), *evaluator);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().failure, Failure::store);
  EXPECT_NE(other.error().message.find("replay differs from the stored history"),
            std::string::npos);
}

TEST(Search, budgets_are_met_exactly_and_never_passed) {
  FunctionRun run;
  for (std::int64_t evaluations : {1, 2, 7, 100}) {
    run.limits = {0, evaluations};
    EXPECT_EQ(complete(run, 4).evaluations, evaluations);
  }
  run.limits = {37, 0};
  EXPECT_EQ(complete(run, 4).proposals, 37);
  run.limits = {40, 1000};
  EXPECT_EQ(complete(run, 4).proposals, 40);
}

TEST(Search, an_exhausted_space_ends_the_run) {
  FunctionRun run;
  run.function.dimensions = 2;
  run.function.levels = 3;
  run.limits = {0, 50};
  const StopRecord stop = complete(run);
  EXPECT_EQ(stop.evaluations, 9);  // 3 x 3 points, the rest are duplicates
  EXPECT_EQ(stop.reason, "budget");
}

/// A run with 20 candidates per step, and this version's additions to a plan.
StopRecord in_large_steps(const Limits& limits, const FunctionOptions& function = {}) {
  FunctionRun run;
  run.batch = 20;
  run.limits = limits;
  run.function = function;
  SearchPlan plan = make_plan(run);
  plan.exact_budget = plan.stop_exhausted = true;
  const auto evaluator = make_function_evaluator(run.function);
  const auto stop = MemoryRun().search(std::move(plan), *evaluator);
  EXPECT_TRUE(stop);
  return stop ? *stop : StopRecord{};
}

TEST(Search, an_exact_budget_is_used_up_whatever_the_batch) {
  for (const std::int64_t limit : {1, 5, 19, 20, 25, 61}) {
    EXPECT_EQ(in_large_steps({0, limit}).evaluations, limit);
    EXPECT_EQ(in_large_steps({limit, 0}).proposals, limit);
  }
}

TEST(Search, stops_when_no_point_is_left) {
  FunctionOptions four;
  four.dimensions = 2;
  four.levels = 2;
  const StopRecord stop = in_large_steps({0, 100}, four);
  EXPECT_EQ(stop.reason, "exhausted");
  EXPECT_EQ(stop.evaluations, 4);
  EXPECT_EQ(in_large_steps({0, 3}, four).reason, "budget");
}

TEST(Search, a_step_sees_its_archive_as_of_lag_steps_ago) {
  for (std::int64_t lag : {0, 1, 5}) {
    FunctionRun run;
    run.lag = lag;
    run.migrate_every = 0;
    const MemoryRun kept = kept_run(run);
    for (const StepRecord& record : kept.history.steps()) {
      for (const auto& candidate : record.candidates) {
        for (const Ancestor& ancestor : candidate->ancestors) {
          EXPECT_EQ(ancestor.id.island, record.island);
          EXPECT_LT(ancestor.id.step, record.step - lag);
        }
      }
    }
  }
}

TEST(Search, migrants_are_chosen_one_period_before_they_arrive) {
  const MemoryRun kept = kept_run({});
  int migrations = 0;
  for (const StepRecord& record : kept.history.steps()) {
    for (const MigrationEvent& migration : record.migrations) {
      ++migrations;
      EXPECT_EQ(record.step % 5, 4);
      EXPECT_EQ(migration.chosen_at, record.step - 5);
      EXPECT_EQ(migration.to, record.island);
      EXPECT_EQ(migration.from, (record.island + 2) % 3);
      EXPECT_LE(migration.migrant.step, migration.chosen_at);
    }
  }
  EXPECT_GT(migrations, 20);
}

TEST(Search, commits_follow_round_island_step) {
  FunctionRun run;
  run.rate_of_first = 2;
  const MemoryRun kept = kept_run(run);
  std::tuple<std::int64_t, std::int64_t, std::int64_t> last{-1, 0, 0};
  for (const StepRecord& record : kept.history.steps()) {
    const std::int64_t rate = record.island == 0 ? 2 : 1;
    const std::tuple now{record.step / rate, record.island, record.step};
    EXPECT_LT(last, now);
    last = now;
  }
}

TEST(Search, failures_and_duplicates_are_rows_with_their_reason) {
  FunctionRun run = noisy_run();
  run.function.levels = 5;
  run.function.dimensions = 3;
  run.limits = {300, 0};
  const auto candidates = kept_run(run).candidates();
  int duplicates = 0;
  int failures = 0;
  for (const CandidatePtr& candidate : candidates) {
    if (candidate->outcome == OutcomeKind::duplicate) {
      ++duplicates;
      EXPECT_TRUE(candidate->duplicate_of);
      EXPECT_LT(*candidate->duplicate_of, candidate->id);
      EXPECT_FALSE(candidate->evaluation.measured);
    }
    if (candidate->evaluation.verdict == Verdict::wrong_result) {
      ++failures;
      EXPECT_EQ(candidate->evaluation.reason, "declared_failure");
    }
  }
  EXPECT_EQ(candidates.size(), 300u);
  EXPECT_GT(duplicates, 0);
  EXPECT_GT(failures, 0);
}

TEST(Search, finds_better_points_than_random_search_with_the_same_budget) {
  const auto best = [](const std::string& strategy, std::int64_t seed) {
    FunctionRun run;
    run.strategy = strategy;
    run.seed = seed;
    run.function.dimensions = 10;
    run.limits = {0, 2000};
    run.islands = 1;
    run.lag = 0;
    double highest = 0;
    for (const CandidatePtr& candidate : kept_run(run).candidates()) {
      highest = std::max(highest, candidate->evaluation.objective);
    }
    return highest;
  };
  for (std::int64_t seed = 1; seed <= 5; ++seed) {
    EXPECT_GT(best("map_elites", seed), 1.5 * best("random", seed)) << seed;
  }
}

}  // namespace
}  // namespace ke
