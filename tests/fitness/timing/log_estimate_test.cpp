#include "fitness/timing/log_estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "fitness/timing/robust.hpp"
#include "tests/fitness/timing/simulated_noise.hpp"

namespace ke {
namespace {

std::vector<ClusterEstimate> clusters_of(const std::vector<double>& values) {
  std::vector<ClusterEstimate> clusters;
  for (double value : values) clusters.push_back({value, 12, 0.0});
  return clusters;
}

const std::vector<double> few{0.021, 0.034, 0.012, 0.027};
const std::vector<double> many{1.01, 0.93, 1.2, 1.11, 0.99, 1.05};

// SciPy 1.10.1: stats.t.ppf(p, d) (relative accuracy about 1e-10). One
// degree gives the Cauchy distribution, whose quantile is tan(pi (p - 1/2)).
TEST(StudentsT, agrees_with_scipy) {
  EXPECT_NEAR(students_t_quantile(0.999, 13), 3.851982391168387, 2e-9);
  EXPECT_NEAR(students_t_quantile(0.9985, 17.5), 3.4428916995030048, 2e-9);
  EXPECT_NEAR(students_t_quantile(0.9975, 25), 3.078199460536119, 2e-9);
  EXPECT_NEAR(students_t_quantile(0.95, 1), std::tan(0.45 * 3.141592653589793), 1e-13);
  EXPECT_NEAR(students_t_quantile(0.975, 0.5), 164.55767352096103, 1e-7);
}

TEST(StudentsT, infinite_degrees_are_the_normal) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_NEAR(students_t_quantile(0.975, infinity), 1.959963984540054, 1e-12);
}

// SciPy 1.10.1: np.exp(stats.t.interval(0.95, 3, np.mean(few), stats.sem(few))).
TEST(LogEstimate, interval_without_a_prior_is_the_ordinary_t_interval) {
  const auto interval = speedup_interval(estimate_log_speedup(clusters_of(few)));
  EXPECT_NEAR(interval.speedup, 1.0237783007466292, 1e-12);
  EXPECT_NEAR(interval.low, 1.0086956478911338, 1e-12);
  EXPECT_NEAR(interval.high, 1.0390864789304386, 1e-12);
}

// Welch's degrees and interval from SciPy; the statistic is that of ttest_ind(equal_var=False).
TEST(LogEstimate, geometric_mean_adds_variances_with_welch_degrees) {
  const auto both = mean_estimate(
      std::vector{estimate_log_speedup(clusters_of(few)), estimate_log_speedup(clusters_of(many))});
  EXPECT_NEAR(both.mean / both.standard_error, 27.272779267365163, 1e-10);
  EXPECT_NEAR(both.degrees, 5.142102742964471, 1e-11);
  EXPECT_NEAR(std::pow(speedup_interval(both).low, 2), 2.6422800694828514, 2e-9);
  EXPECT_NEAR(std::pow(speedup_interval(both).high, 2), 3.228522039376152, 2e-9);
}

TEST(LogEstimate, moderated_variance_is_the_weighted_mean_of_both) {
  // s^2 = 8.7e-5 with 3 degrees, prior 1e-4 with 7: (7e-4 + 2.61e-4) / 10.
  const auto estimate = estimate_log_speedup(clusters_of(few), {.spread = 0.01, .degrees = 7.0});
  EXPECT_NEAR(estimate.degrees, 10.0, 1e-15);
  EXPECT_NEAR(estimate.standard_error * estimate.standard_error * 4.0, 9.61e-5, 1e-15);
}

// The data contradict a prior of a tenth of the spread; the interval is SciPy's t interval above.
TEST(LogEstimate, a_prior_that_the_clusters_contradict_is_dropped) {
  const auto interval =
      speedup_interval(estimate_log_speedup(clusters_of(few), {.spread = 0.001, .degrees = 10.0}));
  EXPECT_NEAR(interval.low, 1.0086956478911338, 1e-12);
  EXPECT_NEAR(interval.high, 1.0390864789304386, 1e-12);
}

TEST(LogEstimate, the_prior_is_no_narrower_than_what_quads_explain) {
  auto clusters = clusters_of(few);
  for (ClusterEstimate& cluster : clusters) {
    cluster.quads = 12;
    cluster.quad_spread = 0.1;
  }
  const auto estimate = estimate_log_speedup(clusters, {.spread = 0.01, .degrees = 7.0});
  // Variance within clusters: pi / 3 x 0.1^2 / 12; s^2 = 8.7e-5 with 3 degrees.
  const double variance = (7 * std::numbers::pi / 3 * 0.01 / 12 + 2.61e-4) / 10;
  EXPECT_NEAR(estimate.standard_error * estimate.standard_error * 4.0, variance, 1e-15);
}

const SpreadPrior usual{.spread = 0.004, .degrees = 10.0};

std::vector<SpeedupInterval> intervals_of(const std::vector<std::vector<double>>& workloads) {
  std::vector<std::vector<ClusterEstimate>> clusters;
  for (const auto& values : workloads) clusters.push_back(clusters_of(values));
  std::vector<SpeedupInterval> intervals;
  for (const LogEstimate& one : estimate_log_speedups(clusters, usual)) {
    intervals.push_back(speedup_interval(one));
  }
  return intervals;
}

// SciPy 1.10.1: with e^2 = 0.004^2, s^2 = np.var(x, ddof=1), R = sum(d s^2 / e^2) / sum(d) and
// v = (p R e^2 + d s^2) / (p + d): np.exp(np.mean(x) +- stats.t.ppf(0.975, p + d) sqrt(v / n)).
TEST(LogEstimates, spreads_are_pooled_where_the_clusters_contradict_the_prior) {
  const auto four = intervals_of({few, {0.31, 0.22, 0.27, 0.40}, {-0.05, 0.02, 0.09, -0.01}});
  EXPECT_NEAR(four[0].low, 0.9733706036760889, 1e-9);
  EXPECT_NEAR(four[0].high, 1.0767964484660377, 1e-9);
  EXPECT_NEAR(four[1].low, 1.2494735395452323, 1e-9);
  EXPECT_NEAR(four[2].high, 1.0835490979135196, 1e-9);
  const auto two = intervals_of({{0.1, 0.2}, {0.3, 0.25}, {0.0, 0.02}});
  EXPECT_NEAR(two[0].low, 1.025014709959977, 1e-9);
  EXPECT_NEAR(two[1].high, 1.450328852726738, 1e-9);
  EXPECT_NEAR(two[2].high, 1.1020310445948853, 1e-9);
}

TEST(LogEstimates, a_prior_that_holds_is_used_for_each) {
  const auto quiet = intervals_of({{0.001, -0.002, 0.003, 0.0}, {0.01, 0.012, 0.008, 0.011}});
  EXPECT_NEAR(quiet[0].low, 0.9965654305855683, 1e-9);
  EXPECT_NEAR(quiet[1].high, 1.0142422462366483, 1e-9);
}

TEST(LogEstimates, a_single_workload_has_its_ordinary_t_interval) {
  const auto alone = intervals_of({few});
  const auto ordinary = speedup_interval(estimate_log_speedup(clusters_of(few), usual));
  EXPECT_EQ(alone[0].low, ordinary.low);
  EXPECT_EQ(alone[0].high, ordinary.high);
}

/// Share of intervals that hold the true value, 1, over 5 workloads whose spreads differ by a
/// factor of exp(0.5), one standard deviation.
double coverage_of(std::size_t clusters) {
  constexpr int trials = 2000;
  testing::Normals normals(7);
  int covered = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<std::vector<double>> workloads(5);
    for (auto& values : workloads) {
      const double spread = 0.05 * std::exp(0.5 * normals.next());
      for (std::size_t c = 0; c < clusters; ++c) values.push_back(spread * normals.next());
    }
    for (const SpeedupInterval& one : intervals_of(workloads)) {
      covered += one.low <= 1 && one.high >= 1 ? 1 : 0;
    }
  }
  return covered / (5.0 * trials);
}

TEST(LogEstimates, intervals_cover_the_true_value_with_few_clusters) {
  EXPECT_NEAR(coverage_of(2), 0.94, 0.015);
  EXPECT_NEAR(coverage_of(4), 0.955, 0.015);
}

TEST(LogEstimate, one_cluster_without_a_prior_has_an_unbounded_interval) {
  const auto interval = speedup_interval(estimate_log_speedup(clusters_of({0.5})));
  EXPECT_EQ(interval.low, 0.0);
  EXPECT_TRUE(std::isinf(interval.high));
  EXPECT_NEAR(interval.speedup, std::exp(0.5), 1e-15);
}

TEST(LogEstimate, an_unknown_error_makes_the_mean_unknown) {
  const auto both = mean_estimate(std::vector{estimate_log_speedup(clusters_of({0.5})),
                                              estimate_log_speedup(clusters_of(few))});
  EXPECT_EQ(both.degrees, 0.0);
  EXPECT_TRUE(std::isinf(speedup_interval(both).high));
}

TEST(LogEstimate, geometric_mean_of_equals_narrows_by_the_square_root) {
  const LogEstimate one{std::log(3.0), 0.02, 7.0};
  const auto mean = mean_estimate(std::vector<LogEstimate>(4, one));
  EXPECT_NEAR(std::exp(mean.mean), 3.0, 1e-14);
  EXPECT_NEAR(mean.standard_error, 0.01, 1e-15);
  EXPECT_NEAR(mean.degrees, 28.0, 1e-10);
}

TEST(LogEstimate, noiseless_terms_keep_finite_bounds) {
  const LogEstimate exact{0.1, 0.0, 4.0};
  const auto interval = speedup_interval(mean_estimate(std::vector{exact, exact}));
  EXPECT_NEAR(interval.low, std::exp(0.1), 1e-14);
  EXPECT_NEAR(interval.high, std::exp(0.1), 1e-14);
}

}  // namespace
}  // namespace ke
