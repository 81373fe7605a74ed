#pragma once
// The Mann-Whitney U test for two independent samples.

#include <span>

#include "experiments/study/statistics/rank_test.hpp"

namespace ke::statistics {

struct MannWhitneyOptions {
  Alternative alternative = Alternative::two_sided;
  PMethod method = PMethod::automatic;  ///< exact if both samples have at most 20 values
  bool continuity = true;               ///< subtract 0.5 in the normal approximation
};

/// Tests whether values of x tend to be larger or smaller than those of y. The statistic is U of x:
/// the number of pairs with x > y, ties counting half. The exact distribution covers all
/// assignments of the pooled (tied) ranks to the samples, in O(n^2 m (n + m)) time. Needs one value
/// per side.
TestResult mann_whitney(std::span<const double> x, std::span<const double> y,
                        const MannWhitneyOptions& options = {});

}  // namespace ke::statistics
