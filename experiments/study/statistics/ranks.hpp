#pragma once
// Ranks with ties, the basis of all rank tests.

#include <optional>
#include <span>
#include <vector>

namespace ke::statistics {

/// Ranks from 1; ties share the mean of their positions. O(n log n).
std::vector<double> midranks(std::span<const double> values);

/// Sum of t^3 - t over groups of t equal values: the tie correction of rank tests.
double tie_sum(std::span<const double> values);

/// Spearman's rho with midranks for ties, for two lists of equal length; nothing if either is
/// constant.
std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace ke::statistics
