#pragma once
// Curves over thresholds: performance profiles, fast_p, the CCDF of the endpoint.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "experiments/study/compare/analysis.hpp"
#include "experiments/study/compare/observation.hpp"

namespace ke {

/// Share of each arm at each threshold.
struct ShareCurve {
  std::vector<double> thresholds;
  std::map<std::string, std::vector<double>> shares;  ///< by arm
};

struct Shares {
  /// Share of tasks on which the arm's mean is within a factor of the best arm's [Dolan2002];
  /// exact: a step function with its steps at the thresholds. Empty where ratios mean nothing
  /// (values that are not positive).
  ShareCurve profile;
  /// Share of runs above each value; for evaluations_to_target, share that reached the target
  /// within each number of evaluations.
  ShareCurve distribution;
  /// Share of runs with a speedup above p [Ouyang2025]; best_verified_speedup only.
  ShareCurve fast_p;
};

Shares shares_of(const Analysis& analysis, const std::vector<std::string>& arms,
                 std::span<const Observation> observations);

}  // namespace ke
