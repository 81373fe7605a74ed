#pragma once
// Planning n: how often would a study of this size find this effect.

#include <functional>
#include <span>

#include "experiments/statistics/random_index.hpp"

namespace ke::statistics {

/// Share of `repetitions` simulated studies whose p-value is at most `alpha`.
double simulated_power(const std::function<double()>& p_value_of_one_study, double alpha,
                       int repetitions);

/// A paired study planned from pilot data.
struct PairedPlan {
  double shift = 0.0;      ///< the true median difference to be found
  double alpha = 0.05;     ///< divide it by the family's size for a careful plan
  int repetitions = 1000;  ///< simulated studies
};

/// Power of the two-sided Wilcoxon test with `pairs` differences drawn from the pilot's, which are
/// centred at their median and moved to `plan.shift`. Needs one pilot difference.
double paired_power(std::span<const double> pilot_differences, int pairs, const PairedPlan& plan,
                    const RandomIndex& random);

/// Fewest pairs in [1, most_pairs] with a power of at least `power`; 0 when none suffices. The
/// search doubles and then bisects, as power rises with n but for small exact steps.
int pairs_for_power(std::span<const double> pilot_differences, double power, int most_pairs,
                    const PairedPlan& plan, const RandomIndex& random);

}  // namespace ke::statistics
