#include "fitness/timing/spread_prior.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/fitness/timing/simulated_noise.hpp"

namespace ke {
namespace {

TEST(SpreadPrior, is_the_root_mean_square_of_aa_clusters) {
  const std::vector<ClusterEstimate> clusters{{0.003, 12, 0.0}, {-0.004, 12, 0.0}};
  const auto prior = calibrate_prior(clusters, 7.0);
  EXPECT_NEAR(prior.spread, std::sqrt(12.5e-6), 1e-15);
  EXPECT_EQ(prior.degrees, 7.0);
}

double chi_square(testing::Normals& normals, int degrees) {
  double sum = 0.0;
  for (int i = 0; i < degrees; ++i) sum += std::pow(normals.next(), 2);
  return sum;
}

// Groups whose true variances follow the prior, s0^2 d0 / chi^2(d0), observed with 5 degrees each.
std::vector<SpreadSample> groups_from(int prior_degrees, double spread, int count) {
  testing::Normals normals(42);
  std::vector<SpreadSample> groups;
  for (int i = 0; i < count; ++i) {
    const double truth = spread * spread * prior_degrees / chi_square(normals, prior_degrees);
    groups.push_back({truth * chi_square(normals, 5) / 5.0, 5.0});
  }
  return groups;
}

TEST(SpreadPrior, fit_recovers_the_prior_that_drew_the_groups) {
  const auto prior = fit_prior(groups_from(8, 0.006, 20'000));
  EXPECT_NEAR(prior.spread, 0.006, 0.0002);
  EXPECT_NEAR(prior.degrees, 8.0, 0.8);
}

TEST(SpreadPrior, groups_that_agree_get_the_strongest_prior_allowed) {
  const std::vector<SpreadSample> equal(10, SpreadSample{1e-4, 5.0});
  EXPECT_EQ(fit_prior(equal, 30.0).degrees, 30.0);
}

}  // namespace
}  // namespace ke
