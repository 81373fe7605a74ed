#pragma once
// Judged kernels by the source that they are points of, and which source promises most.

#include <span>
#include <vector>

#include "core/candidate.hpp"

namespace ke {

/// What is known of one source: the training set of its model.
struct SourcePoints {
  const Candidate* best = nullptr;        ///< of greatest worth; null = none works yet
  std::vector<const Candidate*> kernels;  ///< in the order of their commits
  std::vector<double> targets;            ///< ln worth of each; a failed kernel has the least
  double recent = 0;  ///< what the last `recent_points` kernels added to ln worth of the best
};

inline constexpr std::size_t recent_points = 4;

/// Sources in the order in which they were first seen. Kernels without declarations, or with genes
/// that their source does not declare, are left out.
std::vector<SourcePoints> points_by_source(std::span<const CandidatePtr> judged);

/// The source whose best kernel is the island's best; null while none works.
const SourcePoints* leading_source(const std::vector<SourcePoints>& sources);

/// Sources with a working kernel, the most promising first; ties to the one that was seen first.
///   promise = ln best + recent + exploration sqrt(2 ln(1 + N) / n) (1 - n / size)
/// n points of the source, N of all sources, `size` combinations of its space. The bonus is that of
/// UCB1 [Auer2002], its last factor the share of the space that is left; `recent` carries the last
/// gain on, as rising bandits do for choosing among spaces to tune [Li2020].
std::vector<const SourcePoints*> by_promise(const std::vector<SourcePoints>& sources,
                                            double exploration);

}  // namespace ke
