#include "fitness/timing/log_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "core/portable_math.hpp"
#include "core/result.hpp"
#include "fitness/timing/robust.hpp"

namespace ke {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double contradiction =
    3.0;  // own variance over the prior's; 3 % of honest fours exceed it
constexpr double pool_degrees = 4.0;
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

// The estimates of one workload's clusters, and what is known of their spread.
struct Series {
  Series(std::span<const ClusterEstimate> clusters, const SpreadPrior& prior)
      : expected(std::max(prior.spread * prior.spread, variance_within(clusters))),
        degrees(static_cast<double>(clusters.size()) - 1.0) {
    KE_CHECK(!clusters.empty() && prior.degrees >= 0.0 && prior.spread >= 0.0);
    for (const auto& cluster : clusters) values.push_back(cluster.log_ratio);
    if (values.size() > 1) own = variance_of(values);
  }
  // The estimate whose variance is shrunk to `target` with the weight of `trust` degrees.
  LogEstimate shrunk(double target, double trust) const {
    const double all = trust + degrees;
    const double variance = all > 0.0 ? (trust * target + degrees * own) / all : 0.0;
    return {mean_of(values), std::sqrt(variance / static_cast<double>(values.size())), all};
  }

  std::vector<double> values;
  double expected = 0.0;  // variance between clusters that prior and quads explain
  double own = 0.0;       // variance between these clusters
  double degrees = 0.0;   // of `own`
};

double half_width(const LogEstimate& estimate, double error) {
  if (estimate.degrees <= 0.0) return infinity;
  return students_t_quantile(1.0 - error, estimate.degrees) * estimate.standard_error;
}

}  // namespace

LogEstimate estimate_log_speedup(std::span<const ClusterEstimate> clusters,
                                 const SpreadPrior& prior) {
  const Series series(clusters, prior);
  const bool contradicted = series.own > contradiction * series.expected;
  return series.shrunk(series.expected, contradicted ? 0.0 : prior.degrees);
}

std::vector<LogEstimate> estimate_log_speedups(
    std::span<const std::vector<ClusterEstimate>> workloads, const SpreadPrior& prior) {
  std::vector<Series> all;
  double degrees = 0.0;
  double ratios = 0.0;
  for (const auto& clusters : workloads) {
    const Series& series = all.emplace_back(clusters, prior);
    degrees += series.degrees;
    if (series.own > 0.0) ratios += series.degrees * series.own / series.expected;
  }
  const bool contradicted = ratios > contradiction * degrees;
  std::vector<LogEstimate> estimates;
  for (const Series& series : all) {
    const double pooled = std::min(pool_degrees, degrees - series.degrees);
    // Without any expected spread the ratio is infinite, and each workload stands for itself.
    const bool finite = std::isfinite(ratios);
    estimates.push_back(!contradicted ? series.shrunk(series.expected, prior.degrees)
                        : finite      ? series.shrunk(ratios / degrees * series.expected, pooled)
                                      : series.shrunk(0.0, 0.0));
  }
  return estimates;
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

LogEstimate mean_estimate(std::span<const LogEstimate> workloads, const ShapeMean& shapes) {
  KE_CHECK(!workloads.empty());
  std::vector<double> logs;
  for (const LogEstimate& one : workloads) logs.push_back(one.mean);
  const MeanOfLogs mean = shapes.of(logs);
  double variance = 0.0, shares = 0.0, least_degrees = infinity;
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    const LogEstimate& one = workloads[i];
    const double error = mean.parts[i] / mean.whole * one.standard_error, own = error * error;
    variance += own;
    least_degrees = std::min(least_degrees, one.degrees);
    if (one.degrees > 0.0) shares += own * own / one.degrees;
  }
  // Terms without any noise give 0 / 0; the fewest degrees are then the conservative answer.
  const bool defined = least_degrees > 0.0 && shares > 0.0;
  return {mean.log, std::sqrt(variance), defined ? variance * variance / shares : least_degrees};
}

}  // namespace ke
