// Whole searches over a landscape: their invariances, and that every operator works.

#include <gtest/gtest.h>

#include "core/search/search.hpp"
#include "experiments/run/assemble.hpp"
#include "experiments/run/evaluators/landscape.hpp"
#include "experiments/run/run_in_memory.hpp"
#include "fitness/landscape/landscape.hpp"
#include "tests/conformance/evaluator_conformance.hpp"
#include "tests/experiments/read_experiments.hpp"
#include "tests/support/function_run.hpp"
#include "tests/support/made_landscape.hpp"

namespace ke {
namespace {

Experiment experiment_of(const std::string& yaml) {
  auto experiment = test::experiment_of(yaml);
  EXPECT_TRUE(experiment) << experiment.error().message;
  return *std::move(experiment);
}

Subject subject_of(const Experiment& experiment, std::shared_ptr<const Landscape> landscape) {
  ParamLog log;
  Params top(&experiment.document, "", log);
  Params device = top.section("device");
  auto subject = landscape_subject(device, std::move(landscape), "");
  EXPECT_TRUE(subject) << subject.error().message;
  return *std::move(subject);
}

std::string config(const std::string& device, const std::string& rest = "") {
  return "{task: made, budget: {evaluations: 200}, device: {kind: landscape" + device +
         "}, islands: {count: 2, lag: 2, migration: {every: 5}}" + rest + "}";
}

/// Runs a search with its history in memory.
MemoryRun kept_run(const std::string& yaml, std::int64_t seed) {
  const Experiment experiment = experiment_of(yaml);
  const Subject subject = subject_of(experiment, made_landscape());
  auto started = start_evaluator(experiment, subject, "", seed);
  EXPECT_TRUE(started);
  MemoryRun memory;
  EXPECT_TRUE(memory.search(make_plan(experiment, subject, seed), *started->evaluator));
  return memory;
}

Digest hash_of(const std::string& yaml, std::int64_t seed) {
  const auto stop = kept_run(yaml, seed).history.stop();
  EXPECT_TRUE(stop && *stop);
  return (*stop)->history_hash;
}

TEST(LandscapeSearch, history_does_not_depend_on_the_number_of_lanes) {
  for (const std::string noise : {"", ", noise: sample, draws: 3"}) {
    const Digest one = hash_of(config(noise), 1);
    EXPECT_EQ(hash_of(config(noise + ", lanes: 2"), 1), one);
    EXPECT_EQ(hash_of(config(noise + ", lanes: 8"), 1), one);
    EXPECT_NE(hash_of(config(noise), 2), one);
  }
}

TEST(LandscapeSearch, a_run_in_memory_has_the_history_of_a_kept_one) {
  const Experiment experiment = experiment_of(config(""));
  SearchObserver observer;
  const auto stop =
      run_in_memory(experiment, subject_of(experiment, made_landscape()), 1, observer);
  ASSERT_TRUE(stop);
  EXPECT_EQ(stop->history_hash, hash_of(config(""), 1));
}

TEST(LandscapeSearch, noisy_landscapes_are_decided_by_duels) {
  const MemoryRun memory =
      kept_run(config(", noise: sample", ", acceptance: {rule: noisy_duel}"), 1);
  int duels = 0;
  for (const StepRecord& record : memory.history.steps()) {
    for (const ArchiveEvent& event : record.events) {
      duels += event.decision != Decision::none ? 1 : 0;
    }
  }
  EXPECT_GT(duels, 0);
}

TEST(LandscapeSearch, operators_leave_the_recorded_points_only_when_they_meet_no_other) {
  std::map<std::string, int> measured;
  for (const CandidatePtr& candidate : kept_run(config(""), 1).candidates()) {
    EXPECT_NE(candidate->evaluation.verdict, Verdict::rejected);
    if (candidate->evaluation.measured) ++measured[candidate->operator_name];
  }
  for (const char* name : {"knob_step", "knob_crossover", "random_restart"}) {
    EXPECT_GT(measured[name], 0) << name;
  }
}

Job job_of(int number) {
  const auto problem = *LandscapeProblem::make(made_landscape(), {});
  Job job;
  job.key = sha256(std::to_string(number));
  job.kernel = problem->seed().kernel;
  return job;
}

std::unique_ptr<Evaluator> evaluator(std::int64_t lanes) {
  return make_landscape_evaluator(*LandscapeProblem::make(made_landscape(), {}), 1, lanes);
}

INSTANTIATE_TEST_SUITE_P(
    Landscape, EvaluatorConformance,
    testing::Values(EvaluatorCase{"at_once", [] { return evaluator(1); }, job_of},
                    EvaluatorCase{"three_lanes", [] { return evaluator(3); }, job_of}),
    [](const auto& c) { return c.param.name; });

}  // namespace
}  // namespace ke
