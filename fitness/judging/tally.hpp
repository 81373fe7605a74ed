#pragma once
// Clusters gathered for one comparison, and what they say.

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

  /// Adds what one pair of processes gave. False, and nothing is added, when a bench workload could
  /// not be measured; `noise` then says why.
  bool add(PairResult result);
  /// Estimates of all workloads together, one a cluster.
  const std::vector<ClusterEstimate>& combined() const { return combined_; }
  /// Why the last pair could not be added.
  const std::optional<Noise>& noise() const { return noise_; }
  /// Speedups with intervals; `decision` and `resolvable` are left to the caller.
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
