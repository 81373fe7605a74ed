#include "fitness/timing/log_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "core/portable_math.hpp"
#include "core/result.hpp"
#include "fitness/timing/robust.hpp"
#include "fitness/timing/students_t.hpp"

namespace ke {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double contradiction =
    3.0;  // own variance over the prior's; 3 % of honest fours exceed it
// Variance of a Hodges-Lehmann estimate of normal values, times their number.
constexpr double hodges_lehmann_variance = std::numbers::pi / 3.0;

// Variance of cluster estimates due to the noise of single quads: a lower bound on their spread.
double variance_within(std::span<const ClusterEstimate> clusters) {
  double sum = 0.0;
  for (const ClusterEstimate& cluster : clusters) {
    sum += hodges_lehmann_variance * cluster.quad_spread * cluster.quad_spread /
           std::max(cluster.quads, 1);
  }
  return sum / static_cast<double>(clusters.size());
}

double half_width(const LogEstimate& estimate, double error) {
  if (estimate.degrees <= 0.0) return infinity;
  return students_t_quantile(1.0 - error, estimate.degrees) * estimate.standard_error;
}

// Adds weighted independent estimates; unknown errors make the sum's error unknown.
class Sum {
 public:
  void add(const LogEstimate& estimate, double weight) {
    if (weight == 0.0) return;
    const double error = weight * estimate.standard_error;
    const double variance = error * error;
    mean_ += weight * estimate.mean;
    variance_ += variance;
    least_degrees_ = std::min(least_degrees_, estimate.degrees);
    if (estimate.degrees > 0.0) shares_ += variance * variance / estimate.degrees;
  }
  LogEstimate result() const {
    // Terms without any noise give 0 / 0; the fewest degrees are then the conservative answer.
    const bool defined = least_degrees_ > 0.0 && shares_ > 0.0;
    const double degrees = defined ? variance_ * variance_ / shares_ : least_degrees_;
    return {mean_, std::sqrt(variance_), degrees};
  }

 private:
  double mean_ = 0.0;
  double variance_ = 0.0;
  double shares_ = 0.0;
  double least_degrees_ = infinity;
};

}  // namespace

LogEstimate estimate_log_speedup(std::span<const ClusterEstimate> clusters,
                                 const SpreadPrior& prior) {
  KE_CHECK(!clusters.empty() && prior.degrees >= 0.0 && prior.spread >= 0.0);
  std::vector<double> values;
  for (const auto& cluster : clusters) values.push_back(cluster.log_ratio);
  const double own_degrees = static_cast<double>(values.size() - 1);
  const double own = values.size() > 1 ? variance_of(values) : 0.0;
  const double expected = std::max(prior.spread * prior.spread, variance_within(clusters));
  const double trust = own > contradiction * expected ? 0.0 : prior.degrees;
  const double degrees = trust + own_degrees;
  const double weighted = trust * expected + own_degrees * own;
  const double variance = degrees > 0.0 ? weighted / degrees : 0.0;
  return {mean_of(values), std::sqrt(variance / static_cast<double>(values.size())), degrees};
}

double lower_bound(const LogEstimate& estimate, double error) {
  return estimate.mean - half_width(estimate, error);
}

double upper_bound(const LogEstimate& estimate, double error) {
  return estimate.mean + half_width(estimate, error);
}

SpeedupInterval speedup_interval(const LogEstimate& estimate, double level) {
  KE_CHECK(level > 0.0 && level < 1.0);
  const double error = (1.0 - level) / 2.0;
  return {portable_exp(estimate.mean), portable_exp(lower_bound(estimate, error)),
          portable_exp(upper_bound(estimate, error))};
}

LogEstimate inverse(const LogEstimate& estimate) {
  return {-estimate.mean, estimate.standard_error, estimate.degrees};
}

LogEstimate product(const LogEstimate& first, const LogEstimate& second) {
  Sum sum;
  sum.add(first, 1.0);
  sum.add(second, 1.0);
  return sum.result();
}

LogEstimate geometric_mean(std::span<const LogEstimate> workloads) {
  const std::vector<double> equal(workloads.size(), 1.0);
  return geometric_mean(workloads, equal);
}

LogEstimate geometric_mean(std::span<const LogEstimate> workloads,
                           std::span<const double> weights) {
  KE_CHECK(!workloads.empty() && workloads.size() == weights.size());
  double total = 0.0;
  for (double weight : weights) total += weight;
  KE_CHECK(total > 0.0);
  Sum sum;
  for (std::size_t i = 0; i < workloads.size(); ++i) sum.add(workloads[i], weights[i] / total);
  return sum.result();
}

}  // namespace ke
