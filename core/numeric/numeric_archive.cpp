#include "core/numeric/numeric_archive.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/result.hpp"

namespace ke {
namespace {

struct Bin {
  std::uint32_t index;
  std::uint32_t clipped;
};

// Compares first: a float outside the integer's range must not be converted.
Bin bin_of(double value, const EqualBins& axis) {
  const double bins = axis.bins;
  const double place = (value - axis.low) / (axis.high - axis.low) * bins;
  if (!(place >= 0)) return {0, 1};
  if (place >= bins) return {axis.bins - 1, value > axis.high ? 1u : 0u};
  return {static_cast<std::uint32_t>(place), 0};
}

}  // namespace

GridCells::GridCells(std::vector<EqualBins> axes) : axes_(std::move(axes)) {
  for (const EqualBins& axis : axes_) {
    KE_CHECK(axis.bins >= 1 && axis.low < axis.high);
    count_ *= axis.bins;
  }
}

void GridCells::locate(Rows measures, std::span<Place> places) const {
  KE_CHECK(measures.width == axes_.size());
  for (std::size_t row = 0; row < places.size(); ++row) {
    Place place;
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      const Bin bin = bin_of(measures.values[row * measures.width + a], axes_[a]);
      place.cell = place.cell * axes_[a].bins + bin.index;
      place.clipped += bin.clipped;
    }
    places[row] = place;
  }
}

NumericArchive::NumericArchive(std::shared_ptr<const Cells> cells, std::size_t dimensions,
                               std::size_t measures, std::optional<SoftRule> soft)
    : geometry_(std::move(cells)),
      dimensions_(dimensions),
      measures_of_(measures),
      soft_(soft),
      slot_of_(geometry_->count(), none),
      winner_(geometry_->count(), none) {
  if (soft_) thresholds_.assign(slot_of_.size(), soft_->floor);
}

void NumericArchive::judge(double objective, NumericAddition& addition) const {
  const std::uint32_t slot = slot_of_[addition.cell];
  double threshold = slot == none ? 0 : objectives_[slot];
  bool accepted = slot == none || objective > threshold;
  if (soft_) {
    threshold = thresholds_[addition.cell];
    accepted = objective > threshold;
  }
  accepted = accepted && std::isfinite(objective);
  addition.gain = objective - threshold;
  addition.status = !accepted      ? NumericStatus::rejected
                    : slot == none ? NumericStatus::new_cell
                                   : NumericStatus::improved;
}

// Selects each cell's accepted row with the highest objective; ties go to the first row.
void NumericArchive::choose(std::span<const double> objectives,
                            std::span<const NumericAddition> additions) {
  contested_.clear();
  for (std::uint32_t row = 0; row < additions.size(); ++row) {
    if (additions[row].status == NumericStatus::rejected) continue;
    std::uint32_t& winner = winner_[additions[row].cell];
    if (winner == none) contested_.push_back(additions[row].cell);
    if (winner == none || objectives[row] > objectives[winner]) winner = row;
  }
}

void NumericArchive::put(std::uint32_t cell, std::span<const double> solution, double objective,
                         std::span<const double> measures) {
  std::uint32_t& slot = slot_of_[cell];
  if (slot == none) {
    slot = static_cast<std::uint32_t>(objectives_.size());
    cell_of_.push_back(cell);
    objectives_.push_back(objective);
    solutions_.insert(solutions_.end(), solution.begin(), solution.end());
    measures_.insert(measures_.end(), measures.begin(), measures.end());
    return;
  }
  objectives_[slot] = objective;
  std::copy(solution.begin(), solution.end(),
            solutions_.begin() + static_cast<std::ptrdiff_t>(slot * dimensions_));
  std::copy(measures.begin(), measures.end(),
            measures_.begin() + static_cast<std::ptrdiff_t>(slot * measures_of_));
}

void NumericArchive::move_thresholds(std::span<const double> objectives,
                                     std::span<const NumericAddition> additions) {
  struct Sum {
    double objectives = 0;
    int count = 0;
  };
  std::vector<Sum> sums(contested_.size());
  std::vector<std::uint32_t>& place = winner_;  // reused: the winners are already in the archive
  for (std::uint32_t i = 0; i < contested_.size(); ++i) place[contested_[i]] = i;
  for (std::size_t row = 0; row < additions.size(); ++row) {
    if (additions[row].status == NumericStatus::rejected) continue;
    Sum& sum = sums[place[additions[row].cell]];
    sum.objectives += objectives[row];
    ++sum.count;
  }
  for (std::size_t i = 0; i < contested_.size(); ++i) {
    double kept = 1;
    for (int k = 0; k < sums[i].count; ++k) kept *= 1 - soft_->rate;
    double& threshold = thresholds_[contested_[i]];
    threshold = kept * threshold + (1 - kept) * (sums[i].objectives / sums[i].count);
  }
}

void NumericArchive::offer(Rows solutions, std::span<const double> objectives, Rows measures,
                           std::span<NumericAddition> additions) {
  const std::size_t rows = additions.size();
  KE_CHECK(solutions.count() == rows && objectives.size() == rows && measures.count() == rows);
  places_.resize(rows);
  geometry_->locate(measures, places_);
  for (std::size_t row = 0; row < rows; ++row) {
    additions[row].cell = places_[row].cell;
    additions[row].clipped = places_[row].clipped;
    clipped_ += places_[row].clipped;
    judge(objectives[row], additions[row]);
  }
  choose(objectives, additions);
  for (const std::uint32_t cell : contested_) {
    const std::uint32_t row = winner_[cell];
    put(cell, solutions[row], objectives[row], measures[row]);
  }
  if (soft_) move_thresholds(objectives, additions);
  for (const std::uint32_t cell : contested_) winner_[cell] = none;
}

double NumericArchive::qd_score() const {
  return std::accumulate(objectives_.begin(), objectives_.end(), 0.0);
}

double NumericArchive::best() const {
  return objectives_.empty() ? 0 : *std::max_element(objectives_.begin(), objectives_.end());
}

Digest NumericArchive::digest() const {
  ElitesDigest elites;
  for (std::size_t cell = 0; cell < slot_of_.size(); ++cell) {
    const std::uint32_t slot = slot_of_[cell];
    if (slot == none) continue;
    elites.add(static_cast<std::int64_t>(cell), objectives_[slot], measures(slot), solution(slot));
  }
  return elites.digest();
}

}  // namespace ke
