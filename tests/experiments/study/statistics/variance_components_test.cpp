#include "experiments/study/statistics/variance_components.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random_stream.hpp"

namespace ke::statistics {
namespace {

using Groups = std::vector<std::vector<double>>;

// Strength of fabric by loom [Montgomery2012, example 3.11]: F = 15.68 on 3 and 12 degrees of
// freedom, variances 6.96 and 1.90. Limits use the tables' F (4.474, 0.06975) and chi-square
// (23.337, 4.404; 9.348, 0.2158).
TEST(VarianceComponents, are_those_of_a_textbook) {
  const auto found = variance_components(
      Groups{{98, 97, 99, 96}, {91, 90, 93, 92}, {96, 95, 97, 95}, {95, 96, 99, 98}});
  EXPECT_EQ(found.groups, 4u);
  EXPECT_EQ(found.values, 16u);
  EXPECT_NEAR(found.between.value, 6.96, 0.005);
  EXPECT_NEAR(found.within.value, 1.90, 0.005);
  EXPECT_NEAR(found.share.value, 0.786, 0.0005);
  EXPECT_NEAR(found.within.ci.low, 0.975, 0.0005);
  EXPECT_NEAR(found.within.ci.high, 5.166, 0.002);
  EXPECT_NEAR(found.share.ci.low, 0.385, 0.0005);
  EXPECT_NEAR(found.share.ci.high, 0.982, 0.0005);
  EXPECT_NEAR(found.between.ci.low, 1.705, 0.002);
  EXPECT_NEAR(found.between.ci.high, 102.9, 0.1);
}

TEST(VarianceComponents, without_scatter_inside_or_between_have_a_share_all_the_same) {
  const auto apart = variance_components(Groups{{1, 1}, {2, 2}, {4, 4}});
  EXPECT_EQ(apart.within.value, 0);
  EXPECT_EQ(apart.share.value, 1);
  EXPECT_EQ(apart.share.ci.low, 1);
  const auto alike = variance_components(Groups{{1, 3}, {3, 1}, {1, 3}});
  EXPECT_EQ(alike.between.value, 0);
  EXPECT_EQ(alike.share.value, 0);
  EXPECT_EQ(alike.share.ci.low, 0);
  const auto still = variance_components(Groups{{5, 5}, {5, 5}});
  EXPECT_EQ(still.share.value, 0);
  EXPECT_EQ(still.share.ci.high, 1);
}

/// Share of 2000 simulated data sets whose 95 % intervals contain the true values: effects of
/// variance 1 between groups and 2 within.
struct Coverage {
  double between = 0, within = 0, share = 0;
};

Coverage coverage(const std::vector<int>& sizes) {
  RandomStream random({1, 0, 0, 0, Purpose::test});
  constexpr int sets = 2000;
  const auto holds = [](const Variance& v, double truth) {
    return v.ci.low <= truth && truth <= v.ci.high ? 1.0 / sets : 0.0;
  };
  Coverage held;
  for (int set = 0; set < sets; ++set) {
    Groups groups;
    for (const int size : sizes) {
      const double effect = random.normal();
      auto& group = groups.emplace_back();
      for (int i = 0; i < size; ++i) group.push_back(effect + std::sqrt(2.0) * random.normal());
    }
    const auto found = variance_components(groups);
    held.between += holds(found.between, 1);
    held.within += holds(found.within, 2);
    held.share += holds(found.share, 1.0 / 3);
  }
  return held;
}

TEST(VarianceComponents, intervals_hold_the_truth_as_often_as_they_say) {
  for (const auto& sizes : {std::vector<int>(12, 3), {2, 3, 4, 2, 3, 4, 2, 3, 4, 2, 3, 4}}) {
    const Coverage held = coverage(sizes);
    constexpr double error = 0.015;  // three standard errors
    EXPECT_NEAR(held.within, 0.95, error);
    EXPECT_NEAR(held.share, 0.95, error);
    EXPECT_GE(held.between, 0.95 - error);
  }
}

}  // namespace
}  // namespace ke::statistics
