#pragma once
// One cluster: the quads of one pair of fresh processes. Clusters, not quads, are the independent
// units of every decision, since layout and addresses are drawn once a process.

#include <optional>
#include <span>

#include "fitness/timing/quad.hpp"

namespace ke {

/// What one pair of processes says about challenger against reference.
struct ClusterEstimate {
  double log_ratio = 0.0;    ///< log speedup of the challenger: Hodges-Lehmann over the kept quads
  int quads = 0;             ///< quads kept
  double quad_spread = 0.0;  ///< robust standard deviation of one quad within the cluster
};

/// How a cluster's quads become one number.
struct ClusterRule {
  int dropped = 1;  ///< leading quads thrown away: the first of a process is biased by up to 2.5 %
  int least_quads = 4;  ///< fewer kept quads than this are no estimate
};

/// Estimate of one cluster from its quads in the order measured. Empty when fewer than
/// `rule.least_quads` are left after the drop, or when one of them is not measurable: the verdict
/// is then `unreliable`.
std::optional<ClusterEstimate> estimate_cluster(std::span<const Quad> quads,
                                                const ClusterRule& rule = {});

/// One estimate from those of all workloads that the same pair of processes timed: the mean of the
/// log ratios, weighted (weights >= 0, normalised to sum 1). A task's duel decides on these, since
/// workloads of one pair share its layout and are not independent. Needs one workload.
ClusterEstimate combine_workloads(std::span<const ClusterEstimate> workloads,
                                  std::span<const double> weights);
/// The same with equal weights.
ClusterEstimate combine_workloads(std::span<const ClusterEstimate> workloads);

}  // namespace ke
