#pragma once
// Statistics of numbers alone: ranks with ties, quartiles, the confidence interval of a proportion,
// and the smallest p-values that a study of a given size can reach.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/evaluation.hpp"

namespace ke::statistics {

using Quartiles = std::array<double, 3>;  ///< lower quartile, median, upper quartile

/// Interpolates linearly between the neighbours of rising values; 0 without values.
double quantile(std::span<const double> sorted, double share);

/// Needs one value. O(n log n).
Quartiles quartiles_of(std::vector<double> values);

/// Wilson score interval of a proportion, at 95 % [Wilson1927]. [0, 1] without trials.
Interval wilson_interval(std::int64_t successes, std::int64_t trials);

/// Smallest two-sided p-value that Wilcoxon's exact test can give for n differences: 2 / 2^n, at
/// most 1. Five pairs reach 0.0625, six 0.03125.
double least_wilcoxon_p(int pairs);

/// Smallest two-sided exact p-value of Mann-Whitney: 2 / C(n + m, n), at most 1. 3 against 3 reach
/// 0.1.
double least_mann_whitney_p(int n, int m);

/// Fewest pairs with which Wilcoxon's exact test can reach p < alpha in a Bonferroni-Holm family of
/// `family` comparisons.
int least_pairs_for(double alpha, int family = 1);

/// Sentence that explains why n pairs cannot reach p < alpha in a family of that size, and how many
/// pairs could; empty if they can. Reports print it instead of a p-value.
std::optional<std::string> pairs_out_of_reach(int pairs, double alpha, int family = 1);

/// Sentence that explains why n against m seeds cannot reach p < alpha in a Mann-Whitney test;
/// empty if they can.
std::optional<std::string> seeds_out_of_reach(int n, int m, double alpha, int family = 1);

/// Ranks from 1; ties share the mean of their positions. O(n log n).
std::vector<double> midranks(std::span<const double> values);

/// Spearman's rho with midranks for ties, for two lists of equal length; nothing if either is
/// constant.
std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace ke::statistics
