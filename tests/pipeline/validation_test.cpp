// Kernels that win at bench and lose at validation, over a whole search.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "archive/specialist_archive.hpp"
#include "core/validation.hpp"
#include "tests/support/function_run.hpp"

namespace ke {
namespace {

/// The function's evaluator, but kernels with an odd first knob are ten times as fast at bench and
/// lose at validation; every 16th of them fails there.
class TwoRoles final : public ChangedFunction {
 public:
  using ChangedFunction::ChangedFunction;

  Result<void> submit(const Job& job) override {
    if (asks_validation(job)) validations.insert(job.kernel.genome_hash());
    return ChangedFunction::submit(job);
  }
  static bool is_special(const Kernel& kernel) {
    return std::stoi(kernel.knobs.at("x000")) % 2 == 1;
  }
  std::set<Digest> validations;  ///< kernels that were screened at validation

 private:
  static bool asks_validation(const Job& job) {
    return job.kind == JobKind::screen && job.roles == std::vector<std::string>{"validation"};
  }
  void change(const Job& job, Fact& fact) override {
    if (!fact.comparison) return;
    Comparison& comparison = *fact.comparison;
    const bool special = is_special(job.kernel);
    if (asks_validation(job)) {
      if (special && std::stoi(job.kernel.knobs.at("x001")) % 16 == 0) {
        fact.verdict = Verdict::wrong_result;
        fact.reason = "mismatch";
        fact.comparison.reset();
        return;
      }
      const double speedup = special ? 0.3 : 1.2;
      WorkloadTiming timing;
      timing.role = "validation";
      timing.speedup = speedup;
      timing.ci = {0.98 * speedup, 1.02 * speedup};
      comparison.workloads = {timing};
    } else if (job.kind == JobKind::screen && special) {
      comparison.speedup *= 10;
      comparison.ci = {comparison.speedup, comparison.speedup};
    }
  }
};

FunctionRun noisy_run(std::int64_t lanes = 1) {
  FunctionRun run;
  run.function.noisy = true;
  run.function.lanes = lanes;
  run.function.delay_us = lanes > 1 ? 300 : 0;
  run.limits = {0, 120};
  return run;
}

SearchPlan plan_with_validation(const FunctionRun& run) {
  SearchPlan plan = make_plan(run);
  plan.devices[0].validates = true;
  for (IslandPlan& island : plan.islands) {
    island.archive = std::make_unique<SpecialistArchive>(std::make_unique<CellArchive>(true),
                                                         std::make_unique<CellArchive>(true));
  }
  return plan;
}

struct Outcomes : MemoryRun {
  std::map<LogicalId, CandidatePtr> by_id() const {
    std::map<LogicalId, CandidatePtr> all;
    for (const CandidatePtr& candidate : candidates()) all[candidate->id] = candidate;
    return all;
  }
  std::set<Digest> validations;
  StopRecord stop;
};

void search_with(SearchPlan plan, const FunctionRun& run, Outcomes& out,
                 std::int64_t stop_after = -1) {
  TwoRoles machine(run.function);
  const auto done = out.search(std::move(plan), machine, stop_after);
  ASSERT_TRUE(done) << done.error().message;
  out.stop = *done;
  out.validations = machine.validations;
}

TEST(Validation, specialists_never_meet_generalists_and_no_champion_is_one) {
  const FunctionRun run = noisy_run();
  Outcomes out;
  search_with(plan_with_validation(run), run, out);
  const auto all = out.by_id();
  int specialists = 0;
  for (const StepRecord& record : out.history.steps()) {
    for (const ArchiveEvent& event : record.events) {
      const bool special = is_specialist(all.at(event.challenger)->evaluation);
      specialists += special && event.status == Addition::new_cell ? 1 : 0;
      EXPECT_EQ(event.cell >= 64, special && event.archive == "island");
      EXPECT_FALSE(special && event.archive == "passive");
      if (!event.incumbent) continue;
      EXPECT_EQ(is_specialist(all.at(*event.incumbent)->evaluation), special);
    }
  }
  EXPECT_GT(specialists, 5);
  ASSERT_TRUE(out.stop.champion);
  EXPECT_FALSE(TwoRoles::is_special(all.at(*out.stop.champion)->kernel));
}

TEST(Validation, specialists_stay_parents) {
  const FunctionRun run = noisy_run();
  Outcomes out;
  search_with(plan_with_validation(run), run, out);
  const auto all = out.by_id();
  int children = 0;
  for (const auto& [id, candidate] : all) {
    for (const Ancestor& ancestor : candidate->ancestors) {
      children += is_specialist(all.at(ancestor.id)->evaluation) ? 1 : 0;
    }
  }
  EXPECT_GT(children, 5);
}

TEST(Validation, without_it_the_specialist_is_champion) {
  const FunctionRun run = noisy_run();
  Outcomes out;
  search_with(make_plan(run), run, out);
  EXPECT_TRUE(out.validations.empty());
  ASSERT_TRUE(out.stop.champion);
  EXPECT_TRUE(TwoRoles::is_special(out.by_id().at(*out.stop.champion)->kernel));
}

TEST(Validation, its_screens_are_no_evaluations) {
  const FunctionRun run = noisy_run();
  Outcomes out;
  search_with(plan_with_validation(run), run, out);
  int screened = 0;
  for (const auto& [id, candidate] : out.by_id()) {
    const bool has = has_validation(candidate->evaluation);
    screened += has && candidate->outcome == OutcomeKind::kernel ? 1 : 0;
    EXPECT_TRUE(!has || out.validations.contains(candidate->genome_hash));
  }
  EXPECT_GT(screened, 20);
  EXPECT_EQ(out.stop.evaluations, 120);
}

TEST(Validation, a_kernel_that_fails_there_is_no_elite) {
  const FunctionRun run = noisy_run();
  Outcomes out;
  search_with(plan_with_validation(run), run, out);
  int failed = 0;
  for (const auto& [id, candidate] : out.by_id()) {
    if (candidate->evaluation.reason != "mismatch") continue;
    ++failed;
    EXPECT_EQ(candidate->evaluation.verdict, Verdict::wrong_result);
    for (const StepRecord& record : out.history.steps()) {
      for (const ArchiveEvent& event : record.events) EXPECT_NE(event.challenger, id);
    }
  }
  EXPECT_GT(failed, 0);
}

TEST(Validation, history_does_not_depend_on_the_number_of_lanes) {
  Digest one;
  for (const std::int64_t lanes : {1, 2, 8}) {
    const FunctionRun run = noisy_run(lanes);
    Outcomes out;
    search_with(plan_with_validation(run), run, out);
    if (lanes == 1) one = out.stop.history_hash;
    EXPECT_EQ(out.stop.history_hash, one) << lanes;
  }
}

TEST(Validation, a_run_that_is_stopped_again_and_again_ends_with_the_same_history) {
  const FunctionRun run = noisy_run(2);
  Outcomes whole;
  search_with(plan_with_validation(run), run, whole);
  Outcomes parts;
  for (std::int64_t resumes = 1; resumes < 1000; ++resumes) {
    search_with(plan_with_validation(run), run, parts, 40 * resumes);
    if (parts.stop.reason != "interrupted") break;
  }
  EXPECT_EQ(parts.stop.history_hash, whole.stop.history_hash);
}

TEST(Validation, where_every_elite_loses_the_champion_is_one_of_them) {
  FunctionRun run = noisy_run();
  run.limits = {0, 10};
  SearchPlan plan = plan_with_validation(run);
  Kernel& kernel = plan.devices[0].seeds[0].kernel;
  kernel.knobs["x000"] = kernel.knobs["x001"] = "1";
  for (IslandPlan& island : plan.islands) {
    for (NamedOperator& named : island.operators)
      named.weight = named.name == "seed_source" ? 1 : 0;
  }
  plan.limits = {10, 0};
  Outcomes out;
  search_with(std::move(plan), run, out);
  ASSERT_TRUE(out.stop.champion);
  EXPECT_TRUE(is_specialist(out.by_id().at(*out.stop.champion)->evaluation));
}

}  // namespace
}  // namespace ke
