#pragma once
// Splits a variance into a part between groups and a part within them.

#include <cstddef>
#include <span>
#include <vector>

#include "core/evaluation.hpp"

namespace ke::statistics {

/// A variance with its interval.
struct Variance {
  double value = 0;
  Interval ci;
};

struct VarianceComponents {
  std::size_t groups = 0;
  std::size_t values = 0;
  Variance between;  ///< variance of the groups' effects, never below 0
  Variance within;   ///< variance of values about their group
  Variance share;    ///< between / (between + within): the intraclass correlation
};

/// One-way random effects, y_ij = mean + a_i + e_ij, by analysis of variance [Searle1992].
/// Intervals at 95 %: `within` by chi-square, `share` by F, `between` by [Williams1962]. The first
/// two are exact for normal effects and equal group sizes; unequal sizes enter by their harmonic
/// mean [Thomas1978]. Without scatter, the share is 0 and its interval [0, 1]. Needs two groups,
/// none empty, one with two values. O(values).
VarianceComponents variance_components(std::span<const std::vector<double>> groups);

}  // namespace ke::statistics
