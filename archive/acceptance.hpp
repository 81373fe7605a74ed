#pragma once
// Acceptance rules: whether a challenger may replace the elite of an occupied cell.

#include <memory>
#include <string_view>
#include <unordered_map>

#include "core/archive.hpp"
#include "core/params.hpp"

namespace ke {

/// For deterministic objectives: accepts strictly greater ones.
class PointRule final : public AcceptanceRule {
 public:
  Acceptance decide(const Candidate& challenger, const Candidate& incumbent) const override;
};

/// For measured objectives: a direct duel decides. A challenger whose screened objective is below
/// the incumbent's x (1 - screen_slack) is rejected without a duel.
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
/// f is accepted when f > t, and then t becomes (1 - rate) t + rate f. It has state per archive, so
/// it is not an AcceptanceRule.
class Thresholds {
 public:
  /// `rate` in [0, 1].
  Thresholds(double rate, double floor) : rate_(rate), floor_(floor) {}
  double at(std::size_t cell) const;
  /// Returns f - t and moves t if f is accepted; else changes nothing and returns <= 0 or NaN.
  double offer(std::size_t cell, double objective);

 private:
  double rate_;
  double floor_;
  std::unordered_map<std::size_t, double> thresholds_;
};

}  // namespace ke
