#include "experiments/study/statistics.hpp"

#include <gtest/gtest.h>

namespace ke::statistics {
namespace {

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

}  // namespace
}  // namespace ke::statistics
