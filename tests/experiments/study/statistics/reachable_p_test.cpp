#include "experiments/study/statistics.hpp"

#include <gtest/gtest.h>

namespace ke::statistics {
namespace {

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
