#include "archive/elites.hpp"

#include <algorithm>
#include <cmath>

namespace ke {
namespace {

bool below(const Elite& elite, std::size_t cell) { return elite.cell < cell; }

}  // namespace

CandidatePtr ElitesByCell::at(std::size_t cell) const {
  const auto found = std::lower_bound(elites_.begin(), elites_.end(), cell, below);
  return found != elites_.end() && found->cell == cell ? found->candidate : nullptr;
}

void ElitesByCell::put(std::size_t cell, CandidatePtr candidate) {
  const auto place = std::lower_bound(elites_.begin(), elites_.end(), cell, below);
  if (place != elites_.end() && place->cell == cell) {
    place->candidate = std::move(candidate);
  } else {
    elites_.insert(place, Elite{cell, std::move(candidate)});
  }
}

bool same_kernel(const Candidate& a, const Candidate& b) {
  const Digest& build = a.evaluation.build_hash;
  return a.id == b.id || (!build.is_zero() && build == b.evaluation.build_hash);
}

Addition decide_addition(const AcceptanceRule& rule, const Candidate& challenger,
                         const Candidate& incumbent, Decision decision) {
  if (challenger.id == incumbent.id) return Addition::rejected;
  if (decision == Decision::better) return Addition::improved;
  if (decision != Decision::none) return Addition::rejected;
  switch (rule.decide(challenger, incumbent)) {
    case Acceptance::accept: return Addition::improved;
    case Acceptance::duel: return Addition::duel_needed;
    case Acceptance::reject: break;
  }
  return Addition::rejected;
}

bool may_enter(const AcceptanceRule& rule, const Candidate& candidate, const Candidate* holder) {
  if (std::isnan(candidate.evaluation.objective)) return false;
  return holder == nullptr ||
         decide_addition(rule, candidate, *holder, Decision::none) != Addition::rejected;
}

void offer_to_cell(ElitesByCell& elites, const AcceptanceRule& rule, const CandidatePtr& candidate,
                   Decision decision, OfferResult& result) {
  const double objective = candidate->evaluation.objective;
  result.incumbent = elites.at(result.cell);
  if (std::isnan(objective)) return;
  result.gain = objective - (result.incumbent ? result.incumbent->evaluation.objective : 0);
  result.status = result.incumbent ? decide_addition(rule, *candidate, *result.incumbent, decision)
                                   : Addition::new_cell;
  if (has_entered(result.status)) elites.put(result.cell, candidate);
}

}  // namespace ke
