#pragma once
// A log speedup with its standard error: how to estimate it over clusters, combine it, and turn it
// into an interval of the speedup.

#include <span>
#include <vector>

#include "fitness/timing/cluster.hpp"

namespace ke {

/// Scaled inverse chi-square prior of the variance between clusters [Smyth2004].
struct SpreadPrior {
  double spread = 0.0;   ///< s0: standard deviation of cluster estimates, log units
  double degrees = 0.0;  ///< d0: how many degrees of freedom the prior is worth; 0 is no prior
};

/// Weight of a calibrated prior that is not fitted. Four clusters of a duel must still reveal a
/// spread twice the calibrated one, such as an unlucky layout, so it is far below the 59 degrees of
/// a 60-cluster calibration.
inline constexpr double default_prior_degrees = 10.0;

/// An estimate of a log speedup. `degrees` = 0: the error is unknown.
struct LogEstimate {
  double mean = 0.0;
  double standard_error = 0.0;
  double degrees = 0.0;
};

/// A speedup with its confidence interval, low <= speedup <= high.
struct SpeedupInterval {
  double speedup = 1.0;
  double low = 1.0;
  double high = 1.0;
};

/// Mean over clusters with a moderated error [Smyth2004]: the variance s^2 with d = n - 1 degrees
/// is shrunk to (d0 s0^2 + d s^2) / (d0 + d), which has d0 + d degrees. s0 is at least the spread
/// that the quads within the clusters explain. A prior that the clusters contradict, s^2 > 3 s0^2,
/// is dropped: otherwise noise far above the calibrated one, e.g. from threads on a busy machine,
/// would look like a gain. Needs one cluster. Without a prior this is the ordinary t estimate.
LogEstimate estimate_log_speedup(std::span<const ClusterEstimate> clusters,
                                 const SpreadPrior& prior = {});

/// Estimates of several workloads that the same pairs of processes timed, one per series; each
/// needs one cluster. Two to four clusters tell little of a spread, so the workloads' spreads are
/// pooled. e^2 is the variance that prior and quads expect of a workload, s^2 its own with d
/// degrees, and R the mean of s^2 / e^2 over the workloads, weighted by d.
///   R <= 3: the prior holds; the variance is (d0 e^2 + d s^2) / (d0 + d), as above.
///   R >  3: it is (p R e^2 + d s^2) / (p + d) with p + d degrees, where p is 4, or the degrees of
///           all other workloads if those are fewer.
/// In simulations with spreads that differ by a factor of 1.6 (one standard deviation), 95 %
/// intervals of 5 workloads cover 94 % with 2 clusters and 96 % with 4.
std::vector<LogEstimate> estimate_log_speedups(
    std::span<const std::vector<ClusterEstimate>> workloads, const SpreadPrior& prior);

/// The value that the true mean exceeds with confidence 1 - `error`; minus infinity when the
/// standard error is unknown.
double lower_bound(const LogEstimate& estimate, double error);
/// The value that the true mean stays below with confidence 1 - `error`.
double upper_bound(const LogEstimate& estimate, double error);

/// Two-sided interval of the speedup exp(mean) at `level`, for instance 0.95. [0, infinity] around
/// the point when the error is unknown.
SpeedupInterval speedup_interval(const LogEstimate& estimate, double level = 0.95);

/// Mean of the speedups of workloads or tasks that were timed independently: variances add, degrees
/// by Welch and Satterthwaite [Satterthwaite1946]; see combine_workloads for those of the same
/// processes. Needs one.
LogEstimate mean_estimate(std::span<const LogEstimate> workloads, const ShapeMean& shapes = {});

}  // namespace ke
