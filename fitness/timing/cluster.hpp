#pragma once
// One cluster: the quads of one pair of fresh processes. Decisions treat clusters, not quads, as
// independent, because each process draws its layout and addresses once.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/evaluation.hpp"
#include "core/workload_mean.hpp"

namespace ke {

/// The arm that starts; A is the challenger and B the opponent, as in `Cluster::order`. Drawn at
/// random, so that no arm owns a position.
enum class QuadOrder { abba, baab };

/// Four spans in ns, net of the empty rounds; each arm's samples in their order. The opponent is
/// the incumbent, anchor or baseline.
struct Quad {
  std::array<std::int64_t, 2> challenger_ns{};
  std::array<std::int64_t, 2> opponent_ns{};
};

/// Sorts four spans, given in the order they were measured, into the arms.
Quad make_quad(QuadOrder order, const std::array<std::int64_t, 4>& spans_ns);

/// Whether all four spans are above zero. For a kernel too short to time, a span net of the empty
/// rounds can be zero or negative; such a measurement is unreliable.
bool is_measurable(const Quad& quad);

/// mean(log opponent) - mean(log challenger): the log of the challenger's speedup, above 0 when the
/// challenger is faster. The same on every machine. Needs is_measurable(quad).
double log_ratio(const Quad& quad);

/// The challenger's speedup over the reference, from one pair of processes.
struct ClusterEstimate {
  double log_ratio = 0.0;    ///< log speedup of the challenger: Hodges-Lehmann over the kept quads
  int quads = 0;             ///< quads kept
  double quad_spread = 0.0;  ///< robust standard deviation of one quad within the cluster
};

/// The quads of a journaled cluster, in order. Empty when the order is not a sequence of ABBA and
/// BAAB with one sample per letter: a damaged or foreign record.
std::optional<std::vector<Quad>> quads_of(const Cluster& cluster);

/// Median of an arm's samples over some clusters, 'A' or 'B'; 0 without any.
double median_ns(std::span<const Cluster> clusters, char arm);

/// How the quads of a cluster become one number.
struct ClusterRule {
  int dropped = 1;      ///< leading quads dropped: a process's first quad is biased by up to 2.5 %
  int least_quads = 4;  ///< fewer kept quads give no estimate
};

/// Estimate of one cluster from its quads in the order measured. Empty when fewer than
/// `rule.least_quads` are left after the drop, or when one is not measurable: the verdict is then
/// `unreliable`.
std::optional<ClusterEstimate> estimate_cluster(std::span<const Quad> quads,
                                                const ClusterRule& rule = {});

/// How much larger the log speedup is in `quads` than in `others`, all of one pair of processes.
/// Empty when one list is empty or a quad is not measurable.
std::optional<ClusterEstimate> compare_quads(std::span<const Quad> quads,
                                             std::span<const Quad> others);

/// Combines the estimates of all workloads that one pair of processes timed by a task's mean. A
/// task's duel decides on these, because workloads of one pair share its layout and are not
/// independent. Needs one workload.
ClusterEstimate combine_workloads(std::span<const ClusterEstimate> workloads,
                                  const ShapeMean& shapes = {});

}  // namespace ke
