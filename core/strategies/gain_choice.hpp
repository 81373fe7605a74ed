#pragma once
// A bandit that allocates a budget to operators by gain per cost.

#include <memory>

#include "core/params.hpp"
#include "core/strategy.hpp"

namespace ke {

/// Draws the operator i with the largest
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
/// Cost, in evaluations: 1 if it was measured, plus `ask` per model answer and `per_kilotoken` per
/// 1000 tokens used, at least 0.1.
std::unique_ptr<OperatorSelection> make_gain_choice(Params& params);

}  // namespace ke
