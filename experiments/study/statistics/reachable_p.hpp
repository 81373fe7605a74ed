#pragma once
// Smallest p-values that a study of a given size can reach, known before it is run.

#include <optional>
#include <string>

namespace ke::statistics {

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

/// Sentence for n against m independent values (Mann-Whitney).
std::optional<std::string> seeds_out_of_reach(int n, int m, double alpha, int family = 1);

}  // namespace ke::statistics
