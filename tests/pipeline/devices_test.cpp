// A search on several devices: where kernels are judged, and transfers between devices.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "core/device_router.hpp"
#include "core/search/migration.hpp"
#include "tests/support/function_run.hpp"

namespace ke {
namespace {

constexpr std::int64_t levels = 9;

/// Islands 0 and 1 search rastrigin's function, 2 and 3 the sphere, which refuses some genomes.
struct TwoDevices {
  FunctionOptions first{.function = "rastrigin", .dimensions = 4, .levels = levels};
  FunctionOptions second{.function = "sphere", .dimensions = 4, .levels = levels, .failures = 0.3};
  std::int64_t lanes = 1;
  std::int64_t delay_us = 0;
  std::string abi_of_second = "function";
  bool scheduled = false;  ///< islands share steps by recent gain per cost

  SearchPlan plan() const {
    FunctionRun run;
    run.islands = 4;
    run.topology = "complete";
    run.migrate_every = 4;
    run.migration = {.migrants = 1};
    run.limits = {0, 120};
    run.function = first;
    SearchPlan plan = make_plan(run);
    plan.devices[0].task_hash = sha256("first");
    plan.devices.push_back(
        {"second", abi_of_second, sha256("second"), "", {function_seed(second)}, {}});
    plan.islands[2].device = plan.islands[3].device = 1;
    if (scheduled) plan.schedule = std::make_unique<IslandSchedule>(4, IslandSchedule::Options{});
    return plan;
  }
  std::unique_ptr<Evaluator> evaluator() const {
    std::vector<std::unique_ptr<Evaluator>> list;
    for (FunctionOptions options : {first, second}) {
      options.lanes = lanes;
      options.delay_us = delay_us;
      list.push_back(make_function_evaluator(options));
    }
    return std::make_unique<DeviceRouter>(std::move(list));
  }
};

struct Ending : MemoryRun {
  StopRecord stop;
};

Ending searched(const TwoDevices& run) {
  Ending ending;
  const auto stop = ending.search(run.plan(), *run.evaluator());
  EXPECT_TRUE(stop) << stop.error().message;
  ending.stop = *stop;
  return ending;
}

std::vector<CandidatePtr> migrants_of(const Ending& outcome) {
  auto list = outcome.candidates();
  std::erase_if(list, [](const CandidatePtr& candidate) {
    return candidate->operator_name != migration_operator;
  });
  return list;
}

/// 100 / (1 + mean of x^2 (+ 10 - 10 cos 2 pi x)) of the levels in [-5.12, 5.12].
double objective(const Kernel& kernel, bool rastrigin) {
  double sum = 0;
  for (const auto& [name, level] : kernel.knobs) {
    const double x = 5.12 * (2 * std::stod(level) / (levels - 1) - 1);
    sum += x * x + (rastrigin ? 10 - 10 * std::cos(2 * std::numbers::pi * x) : 0);
  }
  return 100 / (1 + sum / static_cast<double>(kernel.knobs.size()));
}

TEST(Devices, a_migrant_is_judged_where_it_arrives) {
  const auto migrants = migrants_of(searched({}));
  std::set<std::int64_t> receivers;
  int wrong = 0;
  for (const CandidatePtr& migrant : migrants) {
    ASSERT_EQ(migrant->ancestors.size(), 1u);
    const bool on_first = migrant->id.island < 2;
    EXPECT_NE(on_first, migrant->ancestors.front().id.island < 2) << migrant->id.text();
    receivers.insert(migrant->id.island);
    if (migrant->evaluation.verdict == Verdict::wrong_result) {
      EXPECT_FALSE(on_first);
      ++wrong;
    } else if (migrant->outcome == OutcomeKind::kernel) {
      EXPECT_EQ(migrant->evaluation.verdict, Verdict::ok);
      EXPECT_NEAR(migrant->evaluation.objective, objective(migrant->kernel, on_first), 1e-9);
      EXPECT_TRUE(migrant->evaluation.measured);
    }
  }
  EXPECT_EQ(receivers.size(), 4u);
  EXPECT_GT(wrong, 0);
  EXPECT_LT(wrong, static_cast<int>(migrants.size()));
}

TEST(Devices, a_migrant_that_is_wrong_there_enters_no_archive) {
  const Ending outcome = searched({});
  std::set<LogicalId> wrong;
  for (const CandidatePtr& migrant : migrants_of(outcome)) {
    if (migrant->evaluation.verdict != Verdict::ok) wrong.insert(migrant->id);
  }
  for (const StepRecord& step : outcome.history.steps()) {
    for (const ArchiveEvent& event : step.events) EXPECT_FALSE(wrong.contains(event.challenger));
    for (const MigrationEvent& event : step.migrations) {
      EXPECT_EQ(event.from < 2, event.to < 2) << "between devices, without an evaluation there";
    }
  }
}

TEST(Devices, kernels_of_another_abi_stay_at_home) {
  EXPECT_TRUE(migrants_of(searched({.abi_of_second = "other"})).empty());
}

TEST(Devices, history_depends_neither_on_lanes_nor_on_delays) {
  const Digest hash = searched({}).stop.history_hash;
  EXPECT_EQ(searched({.lanes = 4, .delay_us = 300}).stop.history_hash, hash);
  const Ending scheduled = searched({.scheduled = true});
  EXPECT_FALSE(migrants_of(scheduled).empty());
  EXPECT_EQ(searched({.lanes = 4, .delay_us = 300, .scheduled = true}).stop.history_hash,
            scheduled.stop.history_hash);
}

TEST(Devices, a_run_that_is_stopped_again_and_again_ends_with_the_same_history) {
  const TwoDevices run;
  MemoryRun memory;
  std::optional<StopRecord> stop;
  for (int pauses = 0; !stop || stop->reason == "interrupted"; ++pauses) {
    ASSERT_LT(pauses, 1000);
    const auto ended = memory.search(run.plan(), *run.evaluator(), 40 + 12 * pauses);
    ASSERT_TRUE(ended) << ended.error().message;
    stop = *ended;
  }
  EXPECT_EQ(stop->history_hash, searched(run).stop.history_hash);
}

TEST(Devices, each_has_the_best_of_its_own_as_champion) {
  const Ending outcome = searched({});
  ASSERT_EQ(outcome.stop.device_champions.size(), 2u);
  EXPECT_EQ(outcome.stop.champion, outcome.stop.device_champions[0]);
  double best[2] = {0, 0};
  double chosen[2] = {0, 0};
  for (const CandidatePtr& candidate : outcome.candidates()) {
    if (candidate->evaluation.verdict != Verdict::ok) continue;
    if (candidate->outcome != OutcomeKind::kernel) continue;
    const std::size_t device = candidate->id.island < 2 ? 0 : 1;
    best[device] = std::max(best[device], candidate->evaluation.objective);
    if (candidate->id == outcome.stop.device_champions[device]) {
      chosen[device] = candidate->evaluation.objective;
    }
  }
  EXPECT_GT(chosen[0], 0);
  EXPECT_EQ(chosen[0], best[0]);
  EXPECT_EQ(chosen[1], best[1]);
}

TEST(Devices, a_kernel_known_on_one_is_no_duplicate_on_the_other) {
  for (const CandidatePtr& candidate : searched({}).candidates()) {
    if (!candidate->duplicate_of) continue;
    EXPECT_EQ(candidate->id.island < 2, candidate->duplicate_of->island < 2);
  }
}

}  // namespace
}  // namespace ke
