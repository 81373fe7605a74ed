#pragma once
// Groups judged kernels by source and ranks the sources by promise.

#include <span>
#include <vector>

#include "core/candidate.hpp"

namespace ke {

/// Data on one source: the training set of its model.
struct SourcePoints {
  const Candidate* best = nullptr;        ///< largest worth; null = none works yet
  std::vector<const Candidate*> kernels;  ///< in commit order
  std::vector<double> targets;            ///< ln worth of each; a failed kernel has the lowest
  double recent = 0;  ///< gain of the last `recent_points` kernels in ln worth of the best
};

inline constexpr std::size_t recent_points = 4;

/// Sources in order of first appearance. Omits kernels without declarations or with undeclared
/// genes.
std::vector<SourcePoints> points_by_source(std::span<const CandidatePtr> judged);

/// The source of the island's best kernel; null while none works.
const SourcePoints* leading_source(const std::vector<SourcePoints>& sources);

/// Sources with a working kernel, the most promising first; ties go to the one seen first.
///   promise = ln best + recent + exploration sqrt(2 ln(1 + N) / n) (1 - n / size)
/// for n points of the source, N of all sources, and `size` combinations of its space. The bonus is
/// that of UCB1 [Auer2002]; its last factor is the unexplored share of the space. `recent`
/// extrapolates the last gain, as rising bandits do for choosing among spaces to tune [Li2020].
std::vector<const SourcePoints*> by_promise(const std::vector<SourcePoints>& sources,
                                            double exploration);

}  // namespace ke
