#include "core/validation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/search/role_figure.hpp"

namespace ke {
namespace {

Fact screened(double speedup, Interval ci, const char* role = "validation") {
  Fact fact;
  fact.verdict = Verdict::ok;
  fact.comparison.emplace();
  WorkloadTiming timing;
  timing.role = role;
  timing.speedup = speedup;
  timing.ci = ci;
  fact.comparison->workloads = {timing};
  return fact;
}

Evaluation evaluated(double objective) {
  Evaluation evaluation;
  evaluation.verdict = Verdict::ok;
  evaluation.objective = objective;
  return evaluation;
}

TEST(Validation, a_kernel_loses_when_its_whole_interval_lies_below_the_anchor_by_the_least_gain) {
  struct Case {
    Interval ci;
    bool loses;
  };
  for (const Case& c :
       {Case{{0.2, 0.3}, true}, Case{{0.95, 0.985}, true}, Case{{0.9, 0.995}, false},
        Case{{0.5, 1.2}, false}, Case{{1.1, 1.2}, false}}) {
    Evaluation evaluation = evaluated(2);
    take_validation(screened(std::sqrt(c.ci.low * c.ci.high), c.ci), {}, 0.01, evaluation);
    EXPECT_TRUE(has_validation(evaluation));
    EXPECT_EQ(is_specialist(evaluation), c.loses) << c.ci.high;
  }
}

TEST(Validation, figures_are_measures_and_a_specialist_is_worth_the_lesser_speedup) {
  Evaluation evaluation = evaluated(2.6);
  EXPECT_EQ(worth(evaluation), 2.6);
  take_validation(screened(0.21, {0.2, 0.22}), {}, 0.01, evaluation);
  EXPECT_NEAR(evaluation.measures.at("validation_speedup"), 0.21, 1e-12);
  EXPECT_NEAR(evaluation.measures.at("validation_low"), 0.2, 0.001);
  EXPECT_NEAR(evaluation.measures.at("validation_high"), 0.22, 0.001);
  EXPECT_NEAR(worth(evaluation), 0.21, 1e-12);
  EXPECT_EQ(evaluation.objective, 2.6);
}

TEST(Validation, a_kernel_that_fails_there_has_failed) {
  Evaluation evaluation = evaluated(2);
  Fact fact;
  fact.verdict = Verdict::wrong_result;
  fact.reason = "mismatch";
  take_validation(fact, {}, 0.01, evaluation);
  EXPECT_EQ(evaluation.verdict, Verdict::wrong_result);
  EXPECT_EQ(evaluation.reason, "mismatch");
}

TEST(Validation, an_answer_that_says_nothing_of_the_kernel_changes_nothing) {
  for (const Verdict verdict : {Verdict::lost, Verdict::unreliable}) {
    Evaluation evaluation = evaluated(2);
    Fact fact = screened(0.1, {0.1, 0.1});
    fact.verdict = verdict;
    take_validation(fact, {}, 0.01, evaluation);
    EXPECT_EQ(evaluation.verdict, Verdict::ok);
    EXPECT_FALSE(has_validation(evaluation));
  }
  Evaluation evaluation = evaluated(2);
  take_validation(screened(0.1, {0.1, 0.1}, "bench"), {}, 0.01, evaluation);
  EXPECT_FALSE(has_validation(evaluation)) << "no validation workload was timed";
}

}  // namespace
}  // namespace ke
