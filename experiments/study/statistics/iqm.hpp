#pragma once
// Interquartile mean: the mean of the middle half.

#include <span>

namespace ke::statistics {

/// Mean after cutting floor(n / 4) values from each end [Agarwal2021]; as robust as a median, with
/// less variance. Needs one value. O(n log n).
double interquartile_mean(std::span<const double> values);

}  // namespace ke::statistics
