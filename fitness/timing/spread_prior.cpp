#include "fitness/timing/spread_prior.hpp"

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>

#include "core/result.hpp"
#include "fitness/timing/robust.hpp"

namespace ke {
namespace {

// Newton's method of [Smyth2004, appendix]; 1 / trigamma is convex, so it converges from below.
double inverse_trigamma(double target) {
  double x = 0.5 + 1.0 / target;
  for (int step = 0; step < 50; ++step) {
    const double value = boost::math::trigamma(x);
    const double change = value * (1.0 - value / target) / boost::math::polygamma(2, x);
    x += change;
    if (std::abs(change) < 1e-12 * x) break;
  }
  return x;
}

}  // namespace

SpreadPrior calibrate_prior(std::span<const ClusterEstimate> aa_clusters, double degrees) {
  KE_CHECK(aa_clusters.size() >= 2 && degrees > 0.0);
  double sum = 0.0;
  for (const auto& cluster : aa_clusters) sum += cluster.log_ratio * cluster.log_ratio;
  return {std::sqrt(sum / static_cast<double>(aa_clusters.size())), degrees};
}

SpreadPrior fit_prior(std::span<const SpreadSample> groups, double most_degrees) {
  KE_CHECK(groups.size() >= 2 && most_degrees > 0.0);
  std::vector<double> levels;
  double chance = 0.0;  // the variance of the levels that sampling alone explains
  for (const auto& group : groups) {
    KE_CHECK(group.variance > 0.0 && group.degrees > 0.0);
    const double half = group.degrees / 2.0;
    levels.push_back(std::log(group.variance) - boost::math::digamma(half) + std::log(half));
    chance += boost::math::trigamma(half) / static_cast<double>(groups.size());
  }
  const double excess = variance_of(levels) - chance;
  const double fitted = excess > 0.0 ? 2.0 * inverse_trigamma(excess) : most_degrees;
  const double degrees = std::min(fitted, most_degrees);
  const double half = degrees / 2.0;
  const double log_variance = mean_of(levels) + boost::math::digamma(half) - std::log(half);
  return {std::exp(log_variance / 2.0), degrees};
}

}  // namespace ke
