#pragma once
// Wilcoxon's signed-rank test for paired observations.

#include <span>

#include "experiments/study/statistics/rank_test.hpp"

namespace ke::statistics {

/// Treatment of differences of exactly 0: `drop` removes them before ranking [Wilcoxon1945],
/// `pratt` ranks them and then removes their ranks [Pratt1959].
enum class Zeros { drop, pratt };

struct WilcoxonOptions {
  Alternative alternative = Alternative::two_sided;
  PMethod method = PMethod::automatic;  ///< exact up to 50 differences
  Zeros zeros = Zeros::drop;
  bool continuity = false;  ///< subtract 0.5 in the normal approximation
};

/// Tests whether the differences are symmetric about 0. The statistic is the rank sum of the
/// positive differences, or for two-sided tests the smaller of the two rank sums (as in SciPy). The
/// exact distribution covers all 2^n signs given the (tied) ranks, in O(n^3). The p-value is 1 if
/// all differences are 0.
TestResult wilcoxon_signed_rank(std::span<const double> differences,
                                const WilcoxonOptions& options = {});

}  // namespace ke::statistics
