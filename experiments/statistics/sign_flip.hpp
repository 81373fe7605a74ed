#pragma once
// The randomisation test for paired observations: exact whatever their distribution.

#include <span>

#include "experiments/statistics/random_index.hpp"

namespace ke::statistics {

/// Most differences for which all signs are tried.
inline constexpr int most_exact_sign_flips = 18;

/// Two-sided p-value of the mean of paired differences under all 2^n changes of sign
/// [Fisher1935, sec. 21], which is exact when both arms are alike. Above most_exact_sign_flips a
/// sample of `draws` of them is taken, the observed one included. Needs one difference.
double sign_flip_p(std::span<const double> differences, const RandomIndex& random,
                   int draws = 10'000);

}  // namespace ke::statistics
