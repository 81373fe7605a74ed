#include "archive/acceptance.hpp"

namespace ke {

Acceptance PointRule::decide(const Candidate& challenger, const Candidate& incumbent) const {
  return challenger.evaluation.objective > incumbent.evaluation.objective ? Acceptance::accept
                                                                          : Acceptance::reject;
}

Acceptance NoisyDuelRule::decide(const Candidate& challenger, const Candidate& incumbent) const {
  const double least = incumbent.evaluation.objective * (1 - slack_);
  return challenger.evaluation.objective >= least ? Acceptance::duel : Acceptance::reject;
}

std::shared_ptr<const AcceptanceRule> read_acceptance(Params& params, std::string_view fallback) {
  const auto rule = params.choice("rule", fallback, {"point", "noisy_duel"},
                                  "what takes an occupied cell: the greater objective, or a duel");
  const double slack =
      params.real("screen_slack", 0.01, {0, 1},
                  "noisy_duel: a screened objective below the incumbent's x (1 - this) is no duel");
  if (rule == "point") return std::make_shared<PointRule>();
  return std::make_shared<NoisyDuelRule>(slack);
}

double Thresholds::at(std::size_t cell) const {
  const auto found = thresholds_.find(cell);
  return found == thresholds_.end() ? floor_ : found->second;
}

double Thresholds::offer(std::size_t cell, double objective) {
  const double old = at(cell);
  const double gain = objective - old;
  if (gain > 0) thresholds_[cell] = (1 - rate_) * old + rate_ * objective;
  return gain;
}

}  // namespace ke
