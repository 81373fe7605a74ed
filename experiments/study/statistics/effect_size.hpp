#pragma once
// Nonparametric effect sizes: how often one strategy beats another.

#include <span>
#include <vector>

namespace ke::statistics {

/// Vargha and Delaney's A12 [Vargha2000]: P(X > Y) + P(X = Y) / 2 over all pairs, in [0, 1]; 0.5 is
/// no effect. Needs one value on each side. O((n + m) log (n + m)).
double vargha_delaney_a12(std::span<const double> x, std::span<const double> y);

/// Scores of both strategies on one task, one value per seed.
struct TaskScores {
  std::vector<double> x;
  std::vector<double> y;
};

/// Probability of improvement of x over y [Agarwal2021]: the mean of A12 over tasks. Needs one
/// task.
double probability_of_improvement(std::span<const TaskScores> tasks);

}  // namespace ke::statistics
