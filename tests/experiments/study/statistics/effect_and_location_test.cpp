#include <gtest/gtest.h>

#include <vector>

#include "experiments/study/statistics/effect_size.hpp"
#include "experiments/study/statistics/equivalence.hpp"
#include "experiments/study/statistics/iqm.hpp"
#include "tests/experiments/study/statistics/golden_statistics.hpp"

namespace ke::statistics {
namespace {

using testing::golden_statistics;
using testing::numbers;

TEST(EffectSize, a12_agrees_with_counting_all_pairs) {
  for (const auto& set : golden_statistics().at("data"))
    EXPECT_NEAR(vargha_delaney_a12(numbers(set.at("x")), numbers(set.at("z"))),
                set.at("a12").get<double>(), 1e-12);
}

TEST(EffectSize, probability_of_improvement_weighs_tasks_equally) {
  const std::vector<TaskScores> tasks{{{2.0, 3.0}, {1.0, 1.0}}, {{1.0}, {1.0, 2.0, 2.0, 3.0}}};
  EXPECT_NEAR(probability_of_improvement(tasks), (1.0 + 0.125) / 2.0, 1e-15);
}

TEST(InterquartileMean, agrees_with_scipy_trim_mean) {
  for (const auto& set : golden_statistics().at("data"))
    EXPECT_NEAR(interquartile_mean(numbers(set.at("x"))), set.at("iqm").get<double>(), 1e-9);
}

TEST(Equivalence, p_agrees_with_scipy_t_tests) {
  for (const auto& set : golden_statistics().at("data")) {
    const auto paired = paired_equivalence(numbers(set.at("d")), -0.5, 0.75);
    EXPECT_NEAR(paired.p, set.at("tost_paired").get<double>(), 1e-9) << set;
    const auto free =
        independent_equivalence(numbers(set.at("x")), numbers(set.at("z")), -0.5, 0.75);
    EXPECT_NEAR(free.p, set.at("tost_independent").get<double>(), 1e-9) << set;
  }
}

TEST(Equivalence, holds_exactly_where_the_interval_lies_within_the_limits) {
  int equivalent = 0;
  for (const auto& set : golden_statistics().at("data")) {
    const auto result = paired_equivalence(numbers(set.at("d")), -1.0, 1.0);
    EXPECT_EQ(result.equivalent, result.low > -1.0 && result.high < 1.0);
    equivalent += result.equivalent;
  }
  EXPECT_GT(equivalent, 10);
  EXPECT_LT(equivalent, 190);
}

TEST(Equivalence, noiseless_differences_are_compared) {
  const std::vector<double> same(4, 0.2);
  EXPECT_TRUE(paired_equivalence(same, -0.5, 0.5).equivalent);
  EXPECT_FALSE(paired_equivalence(same, -0.1, 0.1).equivalent);
}

}  // namespace
}  // namespace ke::statistics
