#include "fitness/timing/robust.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ke {
namespace {

const std::vector<double> sample{0.012,  -0.004, 0.031, 0.008,  0.0,     0.019,
                                 -0.011, 0.25,   0.007, 0.0155, -0.0305, 0.0021};

// SciPy 1.10.1: np.median of the 78 Walsh averages, stats.median_abs_deviation(scale='normal'),
// np.median, np.quantile(0.25, method='higher'), np.var(ddof=1).
TEST(Robust, agrees_with_scipy) {
  EXPECT_NEAR(hodges_lehmann(sample), 0.007625, 1e-15);
  EXPECT_NEAR(mad_spread(sample), 0.014455371630429618, 1e-15);
  EXPECT_NEAR(median_of(sample), 0.0075, 1e-15);
  EXPECT_EQ(lower_quartile(sample), 0.0);
  EXPECT_NEAR(variance_of(sample), 0.005266894772727271, 1e-15);
}

TEST(Robust, median_of_odd_count_is_the_middle_value) {
  EXPECT_EQ(median_of(std::vector<double>{9.0, -1.0, 4.0}), 4.0);
}

TEST(Robust, one_wild_value_hardly_moves_hodges_lehmann) {
  auto wild = sample;
  wild[7] = 1e6;
  EXPECT_NEAR(hodges_lehmann(wild), hodges_lehmann(sample), 1e-3);
}

TEST(Robust, single_value_is_its_own_estimate) {
  const std::vector<double> one{0.25};
  EXPECT_EQ(hodges_lehmann(one), 0.25);
  EXPECT_EQ(median_of(one), 0.25);
  EXPECT_EQ(lower_quartile(one), 0.25);
  EXPECT_EQ(mad_spread(one), 0.0);
}

TEST(RobustDeath, nothing_has_no_median) { EXPECT_DEATH(median_of({}), "values.empty"); }

}  // namespace
}  // namespace ke
