#pragma once
// How much of a scatter lies between groups, and how much inside them.

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
  Variance between;  ///< of the groups' effects, never below 0
  Variance within;   ///< of values about their group
  Variance share;    ///< between / (between + within): the intraclass correlation
};

/// One-way random effects, y_ij = mean + a_i + e_ij, by analysis of variance [Searle1992].
/// Intervals at 95 %: of `within` by chi-square, of `share` by F, of `between` by [Williams1962];
/// the first two are exact for normal effects and groups of one size, all other sizes enter by
/// their harmonic mean [Thomas1978]. Without any scatter the share is 0 and its interval [0, 1].
/// Needs two groups, none empty, one with two values. O(values).
VarianceComponents variance_components(std::span<const std::vector<double>> groups);

}  // namespace ke::statistics
