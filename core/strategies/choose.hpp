#pragma once
// Functions shared by several strategies: drawing an operator, opening moves.

#include <optional>
#include <span>
#include <vector>

#include "core/strategy.hpp"

namespace ke {

/// Draws an operator by weight among those whose arity is at most `available`. Operators of weight
/// 0 are never drawn. Null when none remains.
const OperatorChoice* draw_operator(std::span<const OperatorChoice> operators,
                                    std::size_t available, RandomStream& random);

/// Draws by the island's own selection (fixed weights or past success) among operators whose arity
/// is at most `available`.
const OperatorChoice* draw_operator(const IslandView& view, std::size_t available,
                                    RandomStream& random);

/// The first steps of an island propose the task's seed kernels, one per step; after them, while
/// the archive is empty, operators without parents. Nothing once the archive has elites.
std::optional<Proposal> opening(const IslandView& view, RandomStream& random);

/// A start without parents: an operator that needs none, or random_restart when none has a weight.
Proposal fresh(const IslandView& view, RandomStream& random);

/// An operator on `first`; draws further, distinct parents uniformly among `others`.
Proposal vary(const IslandView& view, const CandidatePtr& first,
              std::span<const CandidatePtr> others, RandomStream& random);
/// An operator on `first`; draws further, distinct parents among the archive's elites.
Proposal vary(const IslandView& view, const CandidatePtr& first, RandomStream& random);

/// Whether a candidate can be a parent: a kernel with verdict ok that is not a copy.
bool is_usable(const Candidate& candidate);

/// The strategies' order: higher worth (see validation.hpp) first, then the earlier candidate.
bool is_better(const CandidatePtr& a, const CandidatePtr& b);

/// The archive's elites, best first.
std::vector<CandidatePtr> best_elites(const Archive& archive);

/// Weights n, n - 1, ..., 1 by worth; ties go to the earlier cell.
std::vector<double> rank_weights(const std::vector<Elite>& elites);

/// ln(a / b) for positive objectives, which are ratios; a - b if one is not positive.
double log_ratio(double a, double b);

}  // namespace ke
