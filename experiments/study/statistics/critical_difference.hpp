#pragma once
// Compares several strategies over several tasks: Friedman's test and Nemenyi's critical
// difference.

#include <span>
#include <utility>
#include <vector>

namespace ke::statistics {

/// Ranks of strategies over tasks [Demsar2006].
struct RankComparison {
  std::vector<double> average_ranks;  ///< per strategy; 1 is best
  double friedman = 0.0;              ///< tie-corrected chi-square statistic
  double friedman_p = 1.0;
  double critical_difference = 0.0;  ///< ranks that differ by less are indistinguishable
  /// Maximal groups [first, last] of indistinguishable strategies, in the order of average ranks.
  std::vector<std::pair<int, int>> groups;
};

/// Least number of tasks for which ranks are reported.
inline constexpr int least_tasks_for_ranks = 5;

/// scores[s][t] is the score of strategy s on task t; larger is better. Needs two strategies (three
/// for a meaningful chi-square) and one task each; callers suppress results below
/// least_tasks_for_ranks. `alpha` in (0, 1).
RankComparison compare_ranks(std::span<const std::vector<double>> scores, double alpha = 0.05);

/// Distribution function of the studentized range of k >= 2 standard normal variables (infinite
/// degrees of freedom).
double studentized_range_probability(double range, int k);

/// Inverse of the above, accurate to 1e-10.
double studentized_range_quantile(double probability, int k);

}  // namespace ke::statistics
