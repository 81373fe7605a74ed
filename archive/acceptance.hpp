#pragma once
// Acceptance rules: whether a challenger may take an occupied cell.

#include <memory>
#include <string_view>
#include <unordered_map>

#include "core/archive.hpp"
#include "core/params.hpp"

namespace ke {

/// Deterministic objectives: accepts what is strictly greater.
class PointRule final : public AcceptanceRule {
 public:
  Acceptance decide(const Candidate& challenger, const Candidate& incumbent) const override;
};

/// Measured objectives: a direct duel decides. A challenger whose screened objective is below the
/// incumbent's x (1 - screen_slack) is rejected without one.
class NoisyDuelRule final : public AcceptanceRule {
 public:
  explicit NoisyDuelRule(double screen_slack) : slack_(screen_slack) {}
  Acceptance decide(const Candidate& challenger, const Candidate& incumbent) const override;

 private:
  double slack_;
};

/// Reads `rule` (point | noisy_duel) and `screen_slack`.
std::shared_ptr<const AcceptanceRule> read_acceptance(Params& params, std::string_view fallback);

/// Soft archive of CMA-MAE [Fontaine2023, algorithm 1]: a cell has a threshold t, at first `floor`;
/// f is accepted when f > t, and then t becomes (1 - rate) t + rate f. It needs state, so it
/// belongs to an archive and is no AcceptanceRule.
class Thresholds {
 public:
  /// `rate` in [0, 1].
  Thresholds(double rate, double floor) : rate_(rate), floor_(floor) {}
  double at(std::size_t cell) const;
  /// f - t if f is accepted, which moves t; nothing happens and the answer is <= 0 or NaN
  /// otherwise.
  double offer(std::size_t cell, double objective);

 private:
  double rate_;
  double floor_;
  std::unordered_map<std::size_t, double> thresholds_;
};

}  // namespace ke
