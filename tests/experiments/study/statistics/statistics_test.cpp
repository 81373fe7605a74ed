#include "experiments/study/statistics.hpp"

#include <gmock/gmock.h>

namespace ke::statistics {
namespace {

using ::testing::ElementsAre;

// numpy.percentile([...], [25, 50, 75]); its default uses the same interpolation.
TEST(Quartiles, are_those_of_numpy) {
  EXPECT_THAT(quartiles_of({4}), ElementsAre(4, 4, 4));
  EXPECT_THAT(quartiles_of({7, 1}), ElementsAre(2.5, 4, 5.5));
  EXPECT_THAT(quartiles_of({5, 1, 4, 2, 3}), ElementsAre(2, 3, 4));
  EXPECT_THAT(quartiles_of({9, 2, 2, 6}), ElementsAre(2, 4, 6.75));
}

// scipy.stats.spearmanr([1, 2, 3, 4, 5], [5, 6, 7, 8, 7]), an example of its documentation.
TEST(RankCorrelation, agrees_with_scipy_on_ties) {
  const double a[] = {1, 2, 3, 4, 5};
  const double b[] = {5, 6, 7, 8, 7};
  EXPECT_NEAR(rank_correlation(a, b).value(), 0.82078268166812329, 1e-12);
}

TEST(RankCorrelation, is_nothing_where_a_list_is_constant) {
  const double a[] = {1, 2, 3};
  const double b[] = {4, 4, 4};
  EXPECT_FALSE(rank_correlation(a, b));
  EXPECT_FALSE(rank_correlation({}, {}));
}

// Expected values: R 4.2, prop.test(x, n, correct = FALSE)$conf.int.
TEST(Wilson, agrees_with_prop_test) {
  const Interval some = wilson_interval(8, 10);
  EXPECT_NEAR(some.low, 0.4901625, 1e-7);
  EXPECT_NEAR(some.high, 0.9433178, 1e-7);
  const Interval none = wilson_interval(0, 10);
  EXPECT_DOUBLE_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 0.2775328, 1e-7);
}

TEST(Wilson, all_successes_mirror_none) {
  const Interval none = wilson_interval(0, 25);
  const Interval all = wilson_interval(25, 25);
  EXPECT_NEAR(all.low, 1 - none.high, 1e-12);
  EXPECT_DOUBLE_EQ(all.high, 1);
}

TEST(Wilson, without_trials_nothing_is_known) {
  const Interval any = wilson_interval(0, 0);
  EXPECT_EQ(any.low, 0);
  EXPECT_EQ(any.high, 1);
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
