#pragma once
// Gathers the clusters of one comparison and combines them.

#include <optional>
#include <vector>

#include "core/evaluation.hpp"
#include "fitness/judging/pair_result.hpp"
#include "fitness/timing/cluster.hpp"
#include "fitness/timing/spread_prior.hpp"

namespace ke {

/// All clusters of one comparison.
class Tally {
 public:
  Tally(const std::vector<TimedWorkload>& plan, const SpreadPrior& prior);

  /// Adds the result of one pair of processes. Returns false and adds nothing when a bench workload
  /// could not be measured; `noise` then has the reason.
  bool add(PairResult result);
  /// One estimate per cluster, over all workloads together.
  const std::vector<ClusterEstimate>& combined() const { return combined_; }
  /// Why the last pair was not added.
  const std::optional<Noise>& noise() const { return noise_; }
  /// Speedups with intervals; the caller sets `decision` and `resolvable`.
  Comparison comparison() const;

 private:
  struct Row {
    WorkloadTiming timing;
    std::vector<ClusterEstimate> estimates;
  };
  SpreadPrior prior_;
  std::vector<Row> rows_;
  std::vector<ClusterEstimate> combined_;
  std::optional<Noise> noise_;
};

}  // namespace ke
