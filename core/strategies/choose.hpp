#pragma once
// Pieces that several strategies share: drawing an operator, opening moves.

#include <optional>
#include <span>
#include <vector>

#include "core/strategy.hpp"

namespace ke {

/// Draws an operator by weight among those whose arity `available` parents can serve.
/// Operators of weight 0 are never drawn. Nothing when none remains.
const OperatorChoice* draw_operator(std::span<const OperatorChoice> operators,
                                    std::size_t available, RandomStream& random);

/// The same, drawn by the island's own selection.
const OperatorChoice* draw_operator(const IslandView& view, std::size_t available,
                                    RandomStream& random);

/// The first steps of an island bring in the task's seed kernels, one a step; after them, while the
/// archive is still empty, operators without parents. Nothing once there are elites to work on.
std::optional<Proposal> opening(const IslandView& view, RandomStream& random);

/// A start from nothing: an operator that needs no parents, random_restart when none has a weight.
Proposal fresh(const IslandView& view, RandomStream& random);

/// An operator on `first`; further parents are drawn uniformly among `others`, and all differ.
Proposal vary(const IslandView& view, const CandidatePtr& first,
              std::span<const CandidatePtr> others, RandomStream& random);
/// The same with the archive's elites, best first, as `others`.
Proposal vary(const IslandView& view, const CandidatePtr& first, RandomStream& random);

/// Whether a told candidate can be a parent: a kernel that is no copy, with verdict ok.
bool is_usable(const Candidate& candidate);

/// The order of strategies: higher worth (see validation.hpp) first, then the earlier candidate.
bool is_better(const CandidatePtr& a, const CandidatePtr& b);

/// The archive's elites, best first.
std::vector<CandidatePtr> best_elites(const Archive& archive);

/// Weight n, n - 1, ..., 1 by worth, ties to the earlier cell.
std::vector<double> rank_weights(const std::vector<Elite>& elites);

/// ln(a / b) for positive objectives, which are ratios; a - b where a sign forbids it.
double log_ratio(double a, double b);

}  // namespace ke
