#pragma once
// Gains and costs of candidates, for bandits over operators and islands.

#include "core/params.hpp"
#include "core/strategy.hpp"

namespace ke {

/// The cost of candidates in evaluations: 1 if it was measured, plus `ask` per model answer and
/// `per_kilotoken` per 1000 tokens used, at least 0.1.
struct AskCost {
  double ask = 4;
  double per_kilotoken = 0;
  double of(const Commit& told) const;
};

/// Reads `cost.ask` and `cost.per_kilotoken`.
AskCost read_ask_cost(Params& params);

/// The smallest cost of a candidate.
inline constexpr double least_cost = 0.1;

/// The largest worth() of an island's candidates so far.
class BestWorth {
 public:
  /// ln(worth of the candidate / largest before), at least 0; 0 also for the first usable one. The
  /// candidate then counts.
  double gain(const Candidate& candidate);

 private:
  double best_ = 0;  ///< 0 = none yet
};

}  // namespace ke
