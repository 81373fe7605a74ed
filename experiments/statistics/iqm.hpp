#pragma once
// The interquartile mean: the mean of the middle half.

#include <span>

namespace ke::statistics {

/// Mean after floor(n / 4) values are cut from each end [Agarwal2021]; robust as a median, with
/// less variance. Needs one value. O(n log n).
double interquartile_mean(std::span<const double> values);

}  // namespace ke::statistics
