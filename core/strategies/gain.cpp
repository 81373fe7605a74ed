#include "core/strategies/gain.hpp"

#include <algorithm>

#include "core/strategies/choose.hpp"
#include "core/validation.hpp"

namespace ke {

double AskCost::of(const Commit& told) const {
  const double tokens = per_kilotoken * static_cast<double>(told.use.tokens) / 1000;
  const double cost = (told.candidate->evaluation.measured ? 1 : 0) +
                      ask * static_cast<double>(told.use.answers) + tokens;
  return std::max(cost, least_cost);
}

AskCost read_ask_cost(Params& params) {
  Params section = params.section("cost");
  AskCost cost;
  cost.ask = section.real("ask", 4, {0, 1e6}, "evaluations that one answer of a model counts as");
  cost.per_kilotoken =
      section.real("per_kilotoken", 0, {0, 1e6}, "evaluations that 1000 tokens count as");
  return cost;
}

double BestWorth::gain(const Candidate& candidate) {
  if (!is_usable(candidate)) return 0;
  const double now = worth(candidate.evaluation);
  const double gain = best_ > 0 ? std::max(0.0, log_ratio(now, best_)) : 0;
  best_ = std::max(best_, now);
  return gain;
}

}  // namespace ke
