#pragma once
// Plans sample sizes: estimates how often a study of n units finds a given effect.

#include <functional>
#include <span>

#include "experiments/study/statistics/random_index.hpp"

namespace ke::statistics {

/// Share of `repetitions` simulated studies whose p-value is at most `alpha`.
double simulated_power(const std::function<double()>& p_value_of_one_study, double alpha,
                       int repetitions);

/// A paired study planned from pilot data.
struct PairedPlan {
  double shift = 0.0;      ///< true median difference to detect
  double alpha = 0.05;     ///< divide it by the family's size for a conservative plan
  int repetitions = 1000;  ///< simulated studies
};

/// Power of the two-sided Wilcoxon test with `pairs` differences drawn from the pilot's after
/// shifting their median to `plan.shift`. Needs one pilot difference.
double paired_power(std::span<const double> pilot_differences, int pairs, const PairedPlan& plan,
                    const RandomIndex& random);

/// Fewest pairs in [1, most_pairs] with a power of at least `power`; 0 if none suffices. Doubles,
/// then bisects, because power rises with n except for small steps of the exact test.
int pairs_for_power(std::span<const double> pilot_differences, double power, int most_pairs,
                    const PairedPlan& plan, const RandomIndex& random);

}  // namespace ke::statistics
