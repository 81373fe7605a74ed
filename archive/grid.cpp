#include "archive/grid.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "archive/archives.hpp"
#include "core/result.hpp"

namespace ke {
namespace {

constexpr std::size_t most_cells = 1'000'000;

double measure_of(const Candidate& candidate, const Axis& axis) {
  const auto& measures = candidate.evaluation.measures;
  const auto found = measures.find(axis.measure());
  return found == measures.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
}

std::vector<Axis> default_axes(const std::vector<AxisInfo>& declared) {
  std::vector<Axis> axes;
  for (const AxisInfo& info : declared) {
    axes.push_back(info.categories.empty() ? Axis::divided(info)
                                           : Axis::with_categories(info, info.categories));
  }
  return axes;
}

std::vector<Axis> read_axes(Params& params, const std::vector<AxisInfo>& declared) {
  if (!params.has("axes")) return default_axes(declared);
  std::vector<Axis> axes;
  for (Params& section : params.sections("axes")) {
    if (auto axis = read_axis(section, declared)) axes.push_back(*std::move(axis));
  }
  return axes;
}

// Refuses a grid that cannot be filled, and measures on two axes.
void check_axes(Params& params, std::vector<Axis>& axes) {
  double cells = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    cells *= static_cast<double>(axes[i].bins());
    for (std::size_t j = 0; j < i; ++j) {
      if (axes[i].measure() == axes[j].measure()) {
        params.fail("axes", fmt::format("has measure '{}' on two axes", axes[i].measure()));
      }
    }
  }
  if (cells <= static_cast<double>(most_cells)) return;
  params.fail("axes", fmt::format("= {:.3g} cells, more than {}", cells, most_cells));
  axes.clear();
}

}  // namespace

GridArchive::GridArchive(std::vector<Axis> axes, std::shared_ptr<const AcceptanceRule> rule,
                         std::optional<Thresholds> thresholds)
    : axes_(std::move(axes)),
      rule_(rule ? std::move(rule) : std::make_shared<PointRule>()),
      thresholds_(std::move(thresholds)) {
  for (const Axis& axis : axes_) cells_ *= axis.bins();
}

GridArchive::Place GridArchive::place_of(const Candidate& candidate) const {
  Place place;
  for (const Axis& axis : axes_) {
    const Axis::Bin bin = axis.bin_of(measure_of(candidate, axis));
    place.cell = place.cell * axis.bins() + bin.index;
    place.clipped += bin.clipped ? 1 : 0;
  }
  return place;
}

std::size_t GridArchive::cell_of(const Candidate& candidate) const {
  return place_of(candidate).cell;
}

std::vector<double> GridArchive::position(const Candidate& candidate) const {
  std::vector<double> position;
  for (const Axis& axis : axes_) position.push_back(axis.position(measure_of(candidate, axis)));
  return position;
}

// Says what becomes of the candidate; `result` knows cell and incumbent.
void GridArchive::settle(AddResult& result, const Candidate& candidate, Decision decision) {
  const double objective = candidate.evaluation.objective;
  if (std::isnan(objective)) return;
  if (thresholds_) {
    if (result.incumbent && result.incumbent->id == candidate.id) return;
    result.gain = thresholds_->offer(result.cell, objective);
    if (result.gain > 0) {
      result.status = result.incumbent ? Addition::improved : Addition::new_cell;
    }
    return;
  }
  result.gain = objective - (result.incumbent ? result.incumbent->evaluation.objective : 0);
  result.status =
      result.incumbent ? judge(*rule_, candidate, *result.incumbent, decision) : Addition::new_cell;
}

AddResult GridArchive::add(const CandidatePtr& candidate, Decision decision) {
  KE_CHECK(candidate->evaluation.verdict == Verdict::ok);
  const Place place = place_of(*candidate);
  AddResult result;
  result.cell = place.cell;
  result.clipped = place.clipped > 0;
  result.incumbent = elites_.at(place.cell);
  // The second call for a candidate, after its duel, was counted by the first.
  if (decision == Decision::none) clipped_ += place.clipped;
  settle(result, *candidate, decision);
  if (result.status == Addition::new_cell || result.status == Addition::improved) {
    elites_.put(place.cell, candidate);
  }
  return result;
}

std::unique_ptr<Archive> make_grid_archive(Params& params, const ArchiveContext& context) {
  auto axes = read_axes(params, context.axes);
  check_axes(params, axes);
  const double rate = params.real("learning_rate", 1, {0, 1},
                                  "below 1: soft archive of CMA-MAE; 1: the acceptance rule");
  const double floor = params.real("threshold_min", 0, {-1e300, 1e300},
                                   "soft archive: objective that an empty cell asks for");
  std::optional<Thresholds> thresholds;
  if (rate < 1) thresholds.emplace(rate, floor);
  return std::make_unique<GridArchive>(std::move(axes), context.rule, std::move(thresholds));
}

}  // namespace ke
