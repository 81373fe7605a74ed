// Runs whose islands share their steps by recent gain per cost.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/support/function_run.hpp"
#include "tests/support/sanitized.hpp"

namespace ke {
namespace {

SearchPlan scheduled(const FunctionRun& run, IslandSchedule::Options options = {}) {
  SearchPlan plan = make_plan(run);
  plan.schedule = std::make_unique<IslandSchedule>(plan.islands.size(), options);
  return plan;
}

MemoryRun kept_scheduled(SearchPlan plan, FunctionRun run, std::int64_t lanes = 1) {
  run.function.lanes = lanes;
  run.function.delay_us = lanes > 1 ? 500 : 0;
  MemoryRun kept;
  const auto stop = kept.search(std::move(plan), *make_function_evaluator(run.function));
  EXPECT_TRUE(stop) << stop.error().message;
  return kept;
}

Digest last_hash(const MemoryRun& run) { return run.history.steps().back().history_hash; }

std::map<std::int64_t, std::int64_t> steps_by_island(const MemoryRun& run) {
  std::map<std::int64_t, std::int64_t> steps;
  for (const StepRecord& record : run.history.steps()) ++steps[record.island];
  return steps;
}

TEST(ScheduledSearch, history_does_not_depend_on_the_number_of_lanes) {
  for (const FunctionRun& run : {FunctionRun{}, noisy_run()}) {
    const Digest one = last_hash(kept_scheduled(scheduled(run), run, 1));
    EXPECT_EQ(last_hash(kept_scheduled(scheduled(run), run, 4)), one);
    EXPECT_EQ(last_hash(kept_scheduled(scheduled(run), run, 8)), one);
    EXPECT_NE(last_hash(kept_scheduled(make_plan(run), run)), one) << "the schedule must matter";
  }
}

TEST(ScheduledSearch, a_run_that_is_stopped_again_and_again_ends_with_the_same_history) {
  const FunctionRun run = noisy_run();
  const Digest whole = last_hash(kept_scheduled(scheduled(run), run));
  FunctionRun slow = run;
  slow.function.lanes = 2;
  slow.function.delay_us = 200;
  MemoryRun kept;
  std::int64_t resumes = 0;
  for (;; ++resumes) {
    ASSERT_LT(resumes, 1000);
    const auto stop = kept.search(scheduled(run), *make_function_evaluator(slow.function),
                                  (test::sanitized ? 200 : 40) * (resumes + 1));
    ASSERT_TRUE(stop) << stop.error().message;
    if (stop->reason != "interrupted") break;
  }
  EXPECT_GT(resumes, 0);
  EXPECT_EQ(last_hash(kept), whole);
}

TEST(ScheduledSearch, one_island_searches_as_it_does_in_turn) {
  FunctionRun run;
  run.islands = 1;
  EXPECT_EQ(last_hash(kept_scheduled(scheduled(run), run)),
            last_hash(kept_scheduled(make_plan(run), run)));
}

TEST(ScheduledSearch, budgets_are_met_exactly) {
  FunctionRun run;
  for (const std::int64_t evaluations : {1, 7, 100}) {
    run.limits = {0, evaluations};
    std::int64_t measured = 0;
    for (const CandidatePtr& one : kept_scheduled(scheduled(run), run).candidates()) {
      measured += one->evaluation.measured ? 1 : 0;
    }
    EXPECT_EQ(measured, evaluations);
  }
}

// With three islands and a lag of 2 there are nine turns under way.
TEST(ScheduledSearch, a_step_sees_the_search_as_of_the_turns_under_way_ago) {
  FunctionRun run;
  run.migrate_every = 0;
  const MemoryRun kept = kept_scheduled(scheduled(run), run);
  std::map<LogicalId, std::int64_t> turn_of;
  bool nearest = false;
  for (const StepRecord& record : kept.history.steps()) {
    for (const auto& candidate : record.candidates) {
      turn_of[candidate->id] = record.index;
      for (const Ancestor& ancestor : candidate->ancestors) {
        EXPECT_LE(turn_of.at(ancestor.id), record.index - 9);
        nearest = nearest || turn_of.at(ancestor.id) == record.index - 9;
      }
    }
  }
  EXPECT_TRUE(nearest);
}

/// Steps of the islands where the first two propose their seed again and again.
std::map<std::int64_t, std::int64_t> steps_where_two_cannot_gain(double floor) {
  FunctionRun run;
  run.function.dimensions = 12;
  run.migrate_every = 0;
  run.limits = {120, 0};
  SearchPlan plan = scheduled(run, {.floor = floor});
  for (std::size_t i = 0; i < 2; ++i) {
    for (NamedOperator& one : plan.islands[i].operators) {
      one.weight = one.name == "seed_source" ? 1 : 0;
    }
  }
  return steps_by_island(kept_scheduled(std::move(plan), run));
}

TEST(ScheduledSearch, most_steps_go_to_the_island_that_gains_and_none_falls_below_its_floor) {
  const auto steps = steps_where_two_cannot_gain(0.1);
  EXPECT_GT(steps.at(2), 60);
  EXPECT_GE(steps.at(0), 11);
  EXPECT_GE(steps.at(1), 11);
  for (const auto& [island, count] : steps_where_two_cannot_gain(1.0 / 3)) EXPECT_EQ(count, 40);
}

TEST(ScheduledSearch, migrants_leave_once_a_period_and_arrive_a_period_later) {
  FunctionRun run;
  run.limits = {0, 400};
  const MemoryRun kept = kept_scheduled(scheduled(run), run);
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> turn_of;
  std::set<std::pair<std::int64_t, std::int64_t>> departures;
  int migrations = 0;
  for (const StepRecord& record : kept.history.steps()) {
    turn_of[{record.island, record.step}] = record.index;
    std::set<LogicalId> arrived;
    for (const MigrationEvent& migration : record.migrations) {
      ++migrations;
      EXPECT_EQ(migration.to, record.island);
      EXPECT_EQ(migration.from, (record.island + 2) % 3);
      EXPECT_TRUE(arrived.insert(migration.migrant).second) << "each once";
      const std::int64_t left = turn_of.at({migration.from, migration.chosen_at});
      EXPECT_GE(record.index / 3, left / 3 + 5);  // rounds of three turns
      departures.insert({migration.from, left / 3 / 5});
    }
  }
  EXPECT_GT(migrations, 20);
  EXPECT_GT(departures.size(), 10u);
}

}  // namespace
}  // namespace ke
