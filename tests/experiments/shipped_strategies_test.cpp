// Every example of configs/strategies runs unchanged.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "core/search/search.hpp"
#include "experiments/run/assemble.hpp"
#include "tests/experiments/read_experiments.hpp"
#include "tests/support/function_run.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> examples() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(KE_SOURCE_DIR "/configs/strategies")) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

struct Outcomes {
  Result<StopRecord> stop;
  double first = 0;  ///< objective of the seed
  double best = 0;
};

Outcomes play(const Experiment& experiment) {
  const auto subject = read_subject(experiment, experiment.tasks.front(), ".");
  EXPECT_TRUE(subject) << subject.error().message;
  const auto evaluator = start_evaluator(experiment, *subject, "", 1);
  EXPECT_TRUE(evaluator) << evaluator.error().message;
  MemoryRun memory;
  Outcomes outcomes{memory.search(make_plan(experiment, *subject, 1), *evaluator->evaluator)};
  const auto candidates = memory.candidates();
  if (!candidates.empty()) outcomes.first = candidates.front()->evaluation.objective;
  for (const CandidatePtr& candidate : candidates) {
    outcomes.best = std::max(outcomes.best, candidate->evaluation.objective);
  }
  return outcomes;
}

Experiment read(const std::string& name) {
  std::vector<std::string> overrides;
  if (name == "landscape") {
    overrides.push_back("task=" KE_SOURCE_DIR "/tests/golden/landscapes/small_T4.json");
  }
  return test::shipped_experiment("strategies/" + name + ".yaml", overrides);
}

bool python_has(const std::string& package) {
  return std::system(("python3 -c 'import " + package + "' 2>/dev/null").c_str()) == 0;
}

class ShippedStrategy : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, ShippedStrategy, testing::ValuesIn(examples()),
                         [](const auto& c) { return c.param; });

TEST_P(ShippedStrategy, improves_on_the_seed_and_ends_by_its_budget) {
  fs::current_path(KE_SOURCE_DIR);
  const Experiment experiment = read(GetParam());
  EXPECT_EQ(experiment.name, GetParam());
  const Outcomes outcomes = play(experiment);
  if (GetParam() == "optuna_tpe" && !python_has("optuna")) {
    // The error that the example documents for a missing Optuna.
    ASSERT_FALSE(outcomes.stop);
    EXPECT_NE(outcomes.stop.error().message.find("optuna_tpe.py' died"), std::string::npos);
    GTEST_SKIP() << "this Python has no optuna: only the message that says so was looked at";
  }
  ASSERT_TRUE(outcomes.stop) << outcomes.stop.error().message;
  EXPECT_EQ(outcomes.stop->reason, experiment.device == "landscape" ? "exhausted" : "budget");
  if (experiment.device == "landscape") {
    EXPECT_EQ(outcomes.best, 1) << "so small a space is searched through";
    return;
  }
  EXPECT_EQ(outcomes.stop->evaluations, experiment.limits.evaluations);
  EXPECT_GT(outcomes.best, outcomes.first);
}

}  // namespace
}  // namespace ke
