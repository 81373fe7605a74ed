#pragma once
// Prior knowledge of the spread between clusters, from A/A clusters of the same task in the same
// window of time.

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

/// The prior from about 60 A/A clusters: their standard deviation about 0 (the known mean of A/A),
/// with weight `degrees`. Needs two clusters.
SpreadPrior calibrate_prior(std::span<const ClusterEstimate> aa_clusters,
                            double degrees = default_prior_degrees);

/// One group of clusters with a common true spread, for instance one pair of builds.
struct SpreadSample {
  double variance = 0.0;  ///< unbiased variance between the group's clusters, above 0
  double degrees = 0.0;   ///< its degrees of freedom, above 0
};

/// Fits both s0 and d0 by moments of the log variances [Smyth2004, eq. 8-10], so that groups whose
/// spreads differ more than by chance get a weak prior. `most_degrees` caps d0, which is infinite
/// when the groups agree better than by chance. Needs two groups.
SpreadPrior fit_prior(std::span<const SpreadSample> groups, double most_degrees = 59.0);

}  // namespace ke
