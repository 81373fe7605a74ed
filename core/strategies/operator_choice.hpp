#pragma once
// Draws an island's operators or models: by fixed weights, or by their past success.

#include <memory>

#include "core/params.hpp"
#include "core/strategy.hpp"

namespace ke {

/// Reads `kind` and its options. Null for fixed weights, which need no state.
///   ucb                   the operator with the largest mean + exploration sqrt(2 ln n / n_i)
///                         [Auer2002, UCB1]; untried ones first, by weight
///   probability_matching  q_i += rate (r - q_i);  p_i = floor + (1 - k floor) q_i / sum q
///                         [Goldberg1990, Thierens2005 eq. 2-3]
///   adaptive_pursuit      q_i as before;  p_best += rate (1 - (k - 1) floor - p_best),
///                         p_other += rate (floor - p_other)  [Thierens2005 eq. 5-6]
///   gain                  see gain_choice.hpp; not for models
/// Reward r of a told candidate: 1 when it entered the archive, else 0. Migrants and operators of
/// weight 0 earn nothing. Weights above 0 scale the probabilities.
std::unique_ptr<OperatorSelection> read_operator_choice(Params& params);

/// Reads `skip_idle`: whether operators without work are not drawn.
bool read_skip_idle(Params& params);

/// Same for models, whose reward decreases with the cost of the candidate's exchanges:
///   r / (1 + per_dollar dollars + per_kilotoken tokens / 1000)
/// so it stays in [0, 1]. Only candidates for which a model was drawn earn.
std::unique_ptr<OperatorSelection> read_model_choice(Params& params);

}  // namespace ke
