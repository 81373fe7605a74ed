#pragma once
// Randomisation test for paired observations, exact for any distribution.

#include <span>

#include "experiments/study/statistics/random_index.hpp"

namespace ke::statistics {

/// Largest number of differences for which all signs are enumerated.
inline constexpr int most_exact_sign_flips = 18;

/// Two-sided p-value of the mean of paired differences under all 2^n sign changes [Fisher1935, sec.
/// 21]; exact if both arms are alike. Above most_exact_sign_flips, samples `draws` of them,
/// including the observed one. Needs one difference.
double sign_flip_p(std::span<const double> differences, const RandomIndex& random,
                   int draws = 10'000);

}  // namespace ke::statistics
