#pragma once
// Pieces that several strategies share: drawing an operator, opening moves.

#include <optional>

#include "core/strategy.hpp"

namespace ke {

/// Draws an operator by weight among those whose arity `available` parents can serve.
/// Operators of weight 0 are never drawn. Nothing when none remains.
const OperatorChoice* draw_operator(std::span<const OperatorChoice> operators,
                                    std::size_t available, RandomStream& random);

/// The first steps of an island bring in the task's seed kernels, one a step; after them, while the
/// archive is still empty, operators without parents. Nothing once there are elites to work on.
std::optional<Proposal> opening(const IslandView& view, RandomStream& random);

}  // namespace ke
