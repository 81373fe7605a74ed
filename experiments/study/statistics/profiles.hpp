#pragma once
// Shares of tasks or runs beyond a threshold: performance profiles, fast_p, CCDF.

#include <span>
#include <vector>

namespace ke::statistics {

/// Share of scores above each threshold (the empirical CCDF), each in [0, 1]; for runs, a
/// performance profile [Agarwal2021]. Needs one score.
std::vector<double> shares_above(std::span<const double> scores,
                                 std::span<const double> thresholds);

/// Dolan and More's profile [Dolan2002]: costs[s][t] is the cost (time, evaluations) of strategy s
/// on task t, infinite if it failed. Returns, per strategy and factor, the share of tasks on which
/// its cost is within `factor` of the best strategy's. A task that no strategy solved counts
/// against all. Needs one task, and the same number per strategy.
std::vector<std::vector<double>> performance_profile(std::span<const std::vector<double>> costs,
                                                     std::span<const double> factors);

/// One judged kernel of a benchmark.
struct JudgedSpeedup {
  bool correct = false;
  double speedup = 0.0;
};

/// fast_p [Ouyang2025]: share of all tasks whose kernel is correct and more than p times as fast as
/// the baseline. fast_0 is the share of correct ones. Needs one task.
double fast_p(std::span<const JudgedSpeedup> tasks, double p);

}  // namespace ke::statistics
