#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "experiments/study/statistics/critical_difference.hpp"
#include "experiments/study/statistics/holm.hpp"
#include "experiments/study/statistics/profiles.hpp"
#include "experiments/study/statistics/reachable_p.hpp"
#include "tests/experiments/study/statistics/golden_statistics.hpp"

namespace ke::statistics {
namespace {

using testing::golden_statistics;
using testing::numbers;

// Computed by hand: 5 x .005 = .025, 4 x .01 = .04, 3 x .03 = .09, then 2 x .04 = .08 raised to
// .09, twice.
TEST(Holm, steps_down_and_keeps_the_order_of_its_arguments) {
  const auto adjusted = holm_adjusted(std::vector<double>{0.01, 0.04, 0.03, 0.005, 0.04});
  const std::vector<double> expected{0.04, 0.09, 0.09, 0.025, 0.09};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(adjusted[i], expected[i], 1e-15);
}

TEST(Holm, never_exceeds_one) {
  EXPECT_EQ(holm_adjusted(std::vector<double>{0.6, 0.9}), (std::vector<double>{1.0, 1.0}));
  EXPECT_TRUE(holm_adjusted({}).empty());
}

TEST(CriticalDifference, friedman_and_ranks_agree_with_scipy) {
  for (const auto& set : golden_statistics().at("ranks")) {
    const auto scores = set.at("scores").get<std::vector<std::vector<double>>>();
    const auto result = compare_ranks(scores);
    EXPECT_NEAR(result.friedman, set.at("friedman").get<double>(), 1e-9);
    EXPECT_NEAR(result.friedman_p, set.at("p").get<double>(), 1e-9);
    const auto ranks = numbers(set.at("ranks"));
    for (std::size_t i = 0; i < ranks.size(); ++i)
      EXPECT_NEAR(result.average_ranks[i], ranks[i], 1e-12);
  }
}

// SciPy's studentized range is accurate to about 1e-9 in its probabilities.
TEST(CriticalDifference, studentized_range_agrees_with_scipy) {
  for (const auto& row : golden_statistics().at("range_probabilities"))
    EXPECT_NEAR(studentized_range_probability(row.at("q"), row.at("k")), row.at("p").get<double>(),
                1e-9);
  for (const auto& row : golden_statistics().at("range_quantiles"))
    EXPECT_NEAR(studentized_range_quantile(row.at("p"), row.at("k")), row.at("q").get<double>(),
                1e-7);
}

// The range of two variables is |N(0, 2)|, so the quantile is sqrt(2) times that of the normal.
TEST(CriticalDifference, range_of_two_is_that_of_one_normal) {
  EXPECT_NEAR(studentized_range_quantile(0.95, 2), std::sqrt(2.0) * 1.959963984540054, 1e-9);
}

// [Demsar2006, table 5]: q_0.05 = 2.569 for 4 classifiers; 14 data sets give 1.25.
TEST(CriticalDifference, is_the_one_of_the_published_example) {
  std::vector<std::vector<double>> scores;
  for (int s = 0; s < 4; ++s) scores.emplace_back(14, -s);
  const auto result = compare_ranks(scores);
  EXPECT_NEAR(result.critical_difference, 1.25, 0.005);
  EXPECT_EQ(result.average_ranks, (std::vector<double>{1.0, 2.0, 3.0, 4.0}));
  using Groups = std::vector<std::pair<int, int>>;
  EXPECT_EQ(result.groups, (Groups{{0, 1}, {1, 2}, {2, 3}}));
}

TEST(CriticalDifference, groups_are_maximal) {
  std::vector<std::vector<double>> scores;
  for (int s = 0; s < 4; ++s) scores.emplace_back(5, -s);
  scores.emplace_back(5, -9.0);
  // With 5 tasks the critical difference is 2.73: ranks 1..5 group as 1-3, 2-4, 3-5.
  using Groups = std::vector<std::pair<int, int>>;
  EXPECT_EQ(compare_ranks(scores).groups, (Groups{{0, 2}, {1, 3}, {2, 4}}));
}

TEST(CriticalDifference, strategies_that_always_tie_do_not_differ) {
  const std::vector<std::vector<double>> scores(3, std::vector<double>(6, 1.0));
  const auto result = compare_ranks(scores);
  EXPECT_EQ(result.friedman, 0.0);
  EXPECT_EQ(result.friedman_p, 1.0);
}

TEST(Profiles, shares_are_strictly_above) {
  const std::vector<double> scores{1.0, 2.0, 2.0, 4.0};
  EXPECT_EQ(shares_above(scores, std::vector<double>{0.0, 2.0, 4.0}),
            (std::vector<double>{1.0, 0.25, 0.0}));
}

TEST(Profiles, failures_count_against_their_strategy) {
  const double failed = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<double>> costs{{1.0, 4.0, failed, failed}, {2.0, 2.0, 3.0, failed}};
  const auto profile = performance_profile(costs, std::vector<double>{1.0, 2.0});
  EXPECT_EQ(profile[0], (std::vector<double>{0.25, 0.5}));
  EXPECT_EQ(profile[1], (std::vector<double>{0.5, 0.75}));
}

TEST(Profiles, fast_p_needs_correctness_and_more_than_p) {
  const std::vector<JudgedSpeedup> tasks{{true, 1.0}, {true, 2.0}, {false, 9.0}, {true, 0.5}};
  EXPECT_EQ(fast_p(tasks, 0.0), 0.75);
  EXPECT_EQ(fast_p(tasks, 1.0), 0.25);
  EXPECT_EQ(fast_p(tasks, 2.0), 0.0);
}

TEST(ReachableP, three_against_three_never_reach_five_percent) {
  EXPECT_NEAR(least_mann_whitney_p(3, 3), 0.1, 1e-15);
  EXPECT_NEAR(least_mann_whitney_p(4, 4), 2.0 / 70.0, 1e-15);
  EXPECT_EQ(least_mann_whitney_p(0, 4), 1.0);
}

TEST(ReachableP, says_what_cannot_be_concluded) {
  EXPECT_EQ(*seeds_out_of_reach(3, 3, 0.05),
            "3 against 3 values: the smallest reachable p is 0.1, so p < 0.05 is out of reach; "
            "4 against 4 values reach it");
  EXPECT_FALSE(seeds_out_of_reach(4, 4, 0.05));
  EXPECT_EQ(*pairs_out_of_reach(5, 0.05),
            "5 pairs: the smallest reachable p is 0.0625, so p < 0.05 is out of reach; 6 pairs "
            "reach it");
  EXPECT_EQ(*pairs_out_of_reach(8, 0.05, 7),
            "8 pairs in a family of 7: the smallest reachable p is 0.0547, so p < 0.05 is out of "
            "reach; 9 pairs reach it");
  EXPECT_FALSE(pairs_out_of_reach(9, 0.05, 7));
}

TEST(ReachableP, five_pairs_do_not_suffice_and_six_do) {
  EXPECT_EQ(least_wilcoxon_p(5), 0.0625);
  EXPECT_EQ(least_wilcoxon_p(6), 0.03125);
  EXPECT_EQ(least_wilcoxon_p(0), 1.0);
  EXPECT_EQ(least_pairs_for(0.05), 6);
  EXPECT_EQ(least_pairs_for(0.05, 7), 9);
}

}  // namespace
}  // namespace ke::statistics
