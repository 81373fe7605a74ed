#pragma once
// The normal approximation shared by the rank tests.

#include "experiments/study/statistics/rank_test.hpp"

namespace ke::statistics {

/// p-value of `value` under a normal with this mean and standard deviation. `correction` (0 or 0.5)
/// pulls the value towards the mean. 1 when the deviation is 0.
double normal_p(double value, double mean, double deviation, Alternative alternative,
                double correction);

/// p-value from the two exact tails P(X <= x) and P(X >= x); two-sided is twice the smaller one.
double tail_p(double at_most, double at_least, Alternative alternative);

}  // namespace ke::statistics
