#pragma once
// Draws an island's operators or models: by fixed weights, or by their past success.
// A bandit that allocates a budget to operators by gain per cost.

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
///   gain                  see below; not for models
/// Reward r of a told candidate: 1 when it entered the archive, else 0. Migrants and operators of
/// weight 0 earn nothing. Weights above 0 scale the probabilities.
///
/// `gain` draws the operator i with the largest
///   (r_i / s + exploration sqrt(2 ln(1 + n) / n_i)) / c_i
/// Ties go to the larger weight, then to the first in the table; operators that were never asked go
/// first, drawn by weight. The index is that of fractional KUBE for bandits with costs
/// [TranThanh2012], on discounted sums [Garivier2011] and scaled by s.
///   n_i  asks of i: told ones decay by `fade` with each candidate told, those under way count 1
///   n    sum of n_j
///   r_i  sum of rewards of i, with the same decay, over n_i
///   s    the largest r_j; 1 while all are 0
///   c_i  mean cost of the told candidates of i, with the same decay; the expected cost before them
/// Reward of a candidate: max(0, ln(f / best of the island before)) plus `cell` times max(0, ln(f /
/// f of the elite whose cell it took)). f is worth() (validation.hpp), so a kernel that loses at
/// validation earns nothing for its bench figure.
/// Costs are those of AskCost (gain.hpp).
std::unique_ptr<OperatorSelection> read_operator_choice(Params& params);

/// Reads `skip_idle`: whether operators without work are not drawn.
bool read_skip_idle(Params& params);

/// Reads the selection among models; its kinds are those of operators. The reward decreases with
/// the cost of the candidate's exchanges: r / (1 + per_dollar dollars + per_kilotoken tokens /
/// 1000), which stays in [0, 1]. Only candidates for which a model was drawn earn.
std::unique_ptr<OperatorSelection> read_model_choice(Params& params);

/// Reads the selection among hints; kinds and rewards are those of operators.
std::unique_ptr<OperatorSelection> read_hint_choice(Params& params);

}  // namespace ke
