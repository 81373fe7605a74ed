#pragma once
// Two one-sided tests: evidence that a difference is too small to matter.

#include <span>

namespace ke::statistics {

/// Result of a TOST [Schuirmann1987].
struct Equivalence {
  double difference = 0.0;
  double p = 1.0;    ///< the larger of the two one-sided p-values
  double low = 0.0;  ///< the (1 - 2 alpha) interval: equivalent if it lies within the limits
  double high = 0.0;
  bool equivalent = false;
};

/// Tests whether the mean of paired differences lies within (low, high), by Student's t. Needs two.
Equivalence paired_equivalence(std::span<const double> differences, double low, double high,
                               double alpha = 0.05);

/// Tests whether mean(x) - mean(y) lies within (low, high), by Welch's t. Needs two values per
/// side.
Equivalence independent_equivalence(std::span<const double> x, std::span<const double> y,
                                    double low, double high, double alpha = 0.05);

}  // namespace ke::statistics
