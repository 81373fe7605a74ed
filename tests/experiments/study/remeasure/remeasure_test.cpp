#include "experiments/study/remeasure/remeasure.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ke {
namespace {

RemeasuredFigure remeasured(SpeedupFigure then, SpeedupFigure now) {
  return {"naive", "bench", std::move(then), std::move(now)};
}

TEST(RemeasuredFigure, has_a_positive_excess_where_the_run_reported_too_much) {
  EXPECT_NEAR(remeasured({2.2, {2.1, 2.3}, ""}, {2.0, {1.9, 2.1}, ""}).excess(), 0.1, 1e-12);
}

TEST(RemeasuredFigure, agrees_when_both_intervals_together_allow_the_difference) {
  // Half-widths of 1 % and 1 % on the log scale allow sqrt(2) %.
  const Interval one_percent{std::exp(-0.01), std::exp(0.01)};
  const SpeedupFigure then{1, one_percent, ""};
  const auto now = [](double log) {
    return SpeedupFigure{std::exp(log), {std::exp(log - 0.01), std::exp(log + 0.01)}, ""};
  };
  EXPECT_TRUE(remeasured(then, now(0.014)).agrees());
  EXPECT_FALSE(remeasured(then, now(0.0143)).agrees());
}

TEST(RemeasuredFigure, does_not_agree_when_there_is_no_figure_now) {
  EXPECT_FALSE(remeasured({2, {1.9, 2.1}, ""}, {0, {}, "unreliable"}).agrees());
}

TEST(RemeasuredFigure, is_contradicted_by_nothing_where_the_run_had_none) {
  const RemeasuredFigure first = remeasured({0, {}, "unreliable contended"}, {2, {1.9, 2.1}, ""});
  EXPECT_TRUE(first.agrees());
  EXPECT_EQ(first.excess(), 0);
}

TEST(Agreement, of_several_runs_is_a_t_interval) {
  // SciPy: t.interval(0.95, 3, mean, sem) of [0.01, -0.02, 0.03, 0.00].
  const Agreement agreement = agreement_of({0.01, -0.02, 0.03, 0.00});
  EXPECT_EQ(agreement.figures, 4U);
  EXPECT_NEAR(agreement.mean, 0.005, 1e-12);
  EXPECT_NEAR(agreement.ci.low, -0.028123951344184342, 1e-9);
  EXPECT_NEAR(agreement.ci.high, 0.03812395134418434, 1e-9);
  EXPECT_NEAR(agreement.median_absolute, 0.015, 1e-12);
}

TEST(Agreement, of_one_run_claims_nothing) {
  EXPECT_TRUE(std::isinf(agreement_of({0.01}).ci.high));
  EXPECT_EQ(agreement_of({}).figures, 0U);
}

}  // namespace
}  // namespace ke
