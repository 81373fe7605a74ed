#pragma once
// What is known beforehand about the spread between clusters, from A/A clusters of the same task in
// the same window of time.

#include <span>
#include <vector>

#include "fitness/timing/cluster.hpp"

namespace ke {

/// Scaled inverse chi-square prior of the variance between clusters [Smyth2004].
struct SpreadPrior {
  double spread = 0.0;   ///< s0: standard deviation of cluster estimates, log units
  double degrees = 0.0;  ///< d0: how many degrees of freedom the prior is worth; 0 is no prior
};

/// Weight of a calibrated prior unless it is fitted. A spread twice the calibrated one, such as an
/// unlucky layout, must still be seen by four clusters of a duel, so it is far below the 59 degrees
/// of a 60-cluster calibration.
inline constexpr double default_prior_degrees = 10.0;

/// The prior from about 60 A/A clusters: their standard deviation about 0 (A/A has a known mean),
/// worth `degrees`. Needs two clusters.
SpreadPrior calibrate_prior(std::span<const ClusterEstimate> aa_clusters,
                            double degrees = default_prior_degrees);

/// One group of clusters with a common true spread, for instance one pair of builds.
struct SpreadSample {
  double variance = 0.0;  ///< unbiased variance between the group's clusters, above 0
  double degrees = 0.0;   ///< its degrees of freedom, above 0
};

/// Both s0 and d0 by moments of the log variances [Smyth2004, eq. 8-10], so that groups whose
/// spreads differ more than chance get a weak prior. `most_degrees` caps d0 (it is infinite when
/// the groups agree better than chance). Needs two groups.
SpreadPrior fit_prior(std::span<const SpreadSample> groups, double most_degrees = 59.0);

}  // namespace ke
