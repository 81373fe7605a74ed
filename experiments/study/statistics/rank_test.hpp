#pragma once
// Options and result shared by the rank tests.

namespace ke::statistics {

/// Alternative hypothesis; `greater`: the first sample or the differences tend to be larger.
enum class Alternative { two_sided, less, greater };

/// `exact` is the distribution conditional on the ties, `normal` the tie-corrected approximation.
/// `automatic` uses exact while it is cheap.
enum class PMethod { automatic, exact, normal };

/// Statistic and p-value of a rank test.
struct TestResult {
  double statistic = 0.0;
  double p = 1.0;
  bool exact = false;
};

}  // namespace ke::statistics
