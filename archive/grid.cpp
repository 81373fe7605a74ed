#include "archive/grid.hpp"

#include <cmath>

#include "archive/archives.hpp"
#include "archive/axes.hpp"
#include "core/result.hpp"

namespace ke {
GridArchive::GridArchive(std::vector<Axis> axes, std::shared_ptr<const AcceptanceRule> rule,
                         std::optional<Thresholds> thresholds)
    : axes_(std::move(axes)),
      rule_(rule ? std::move(rule) : std::make_shared<PointRule>()),
      thresholds_(std::move(thresholds)) {
  cells_ = cells_on(axes_);
}

std::size_t GridArchive::cell_of(const Candidate& candidate) const {
  return place_on(axes_, candidate).cell;
}

std::vector<double> GridArchive::position(const Candidate& candidate) const {
  return position_on(axes_, candidate);
}

/// The threshold decides instead of the rule.
void GridArchive::offer_to_threshold(const CandidatePtr& candidate, OfferResult& result) {
  const double objective = candidate->evaluation.objective;
  result.incumbent = elites_.at(result.cell);
  if (std::isnan(objective)) return;
  if (result.incumbent && result.incumbent->id == candidate->id) return;
  result.gain = thresholds_->offer(result.cell, objective);
  if (result.gain <= 0) return;
  result.status = result.incumbent ? Addition::improved : Addition::new_cell;
  elites_.put(result.cell, candidate);
}

bool GridArchive::may_enter(const Candidate& candidate) const {
  const std::size_t cell = cell_of(candidate);
  if (thresholds_) return candidate.evaluation.objective > thresholds_->at(cell);
  return ke::may_enter(*rule_, candidate, elites_.at(cell).get());
}

OfferResult GridArchive::offer(const CandidatePtr& candidate, Decision decision) {
  KE_CHECK(candidate->evaluation.verdict == Verdict::ok);
  const GridPlace place = place_on(axes_, *candidate);
  OfferResult result;
  result.cell = place.cell;
  result.clipped = place.clipped > 0;
  // The first call for a candidate has counted it; the second call follows its duel.
  if (decision == Decision::none) clipped_ += place.clipped;
  if (thresholds_) {
    offer_to_threshold(candidate, result);
  } else {
    offer_to_cell(elites_, *rule_, candidate, decision, result);
  }
  return result;
}

std::unique_ptr<Archive> make_grid_archive(Params& params, const ArchiveContext& context) {
  auto axes = read_grid_axes(params, context.axes);
  const double rate = params.real("learning_rate", 1, {0, 1},
                                  "below 1: soft archive of CMA-MAE; 1: the acceptance rule");
  const double floor = params.real("threshold_min", 0, {-1e300, 1e300},
                                   "soft archive: objective that an empty cell asks for");
  std::optional<Thresholds> thresholds;
  if (rate < 1) thresholds.emplace(rate, floor);
  return std::make_unique<GridArchive>(std::move(axes), context.rule, std::move(thresholds));
}

}  // namespace ke
