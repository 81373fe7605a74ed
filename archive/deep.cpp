#include "archive/deep.hpp"

#include <cmath>

#include "core/random_stream.hpp"
#include "core/result.hpp"

namespace ke {
namespace {

bool weaker(const Candidate& a, const Candidate& b) {
  const double x = a.evaluation.objective;
  const double y = b.evaluation.objective;
  return x != y ? x < y : b.id < a.id;
}

}  // namespace

AxisShape axis_of_places(std::size_t depth) {
  AxisShape shape{"place", "", {}};
  for (std::size_t i = 0; i < depth; ++i) shape.bins.push_back(std::to_string(i));
  return shape;
}

DeepArchive::DeepArchive(std::size_t groups, std::size_t depth, Victim victim, Grouping grouping,
                         std::shared_ptr<const AcceptanceRule> rule, std::vector<AxisShape> shapes)
    : groups_(groups),
      depth_(depth),
      victim_(victim),
      grouping_(std::move(grouping)),
      rule_(rule ? std::move(rule) : std::make_shared<PointRule>()),
      shapes_(std::move(shapes)) {
  KE_CHECK(groups_ >= 1 && depth_ >= 1);
}

DeepArchive::Seat DeepArchive::seat_of(const Candidate& candidate, std::size_t group) const {
  const std::size_t first = group * depth_;
  std::size_t free = first + depth_;
  std::size_t worst = first;
  for (std::size_t cell = first + depth_; cell-- > first;) {
    const CandidatePtr holder = elites_.at(cell);
    if (!holder) {
      free = cell;
    } else if (same_kernel(candidate, *holder)) {
      return {cell, true};
    } else if (const CandidatePtr last = elites_.at(worst); !last || weaker(*holder, *last)) {
      worst = cell;
    }
  }
  if (free < first + depth_) return {free, true};
  if (victim_ == Victim::worst) return {worst, true};
  RandomStream random(
      {0, candidate.id.island, candidate.id.step, candidate.id.slot, Purpose::bootstrap});
  return {first + static_cast<std::size_t>(random.below(depth_)), false};
}

std::size_t DeepArchive::cell_of(const Candidate& candidate) const {
  return seat_of(candidate, grouping_(candidate).cell).cell;
}

bool DeepArchive::may_enter(const Candidate& candidate) const {
  const Seat seat = seat_of(candidate, grouping_(candidate).cell);
  return !seat.contested || ke::may_enter(*rule_, candidate, elites_.at(seat.cell).get());
}

OfferResult DeepArchive::offer(const CandidatePtr& candidate, Decision decision) {
  KE_CHECK(candidate->evaluation.verdict == Verdict::ok);
  const GridPlace place = grouping_(*candidate);
  const Seat seat = seat_of(*candidate, place.cell);
  if (decision == Decision::none) clipped_ += place.clipped;
  OfferResult result;
  result.cell = seat.cell;
  result.clipped = place.clipped > 0;
  offer_to_cell(elites_, *rule_, candidate, seat.contested ? decision : Decision::better, result);
  return result;
}

}  // namespace ke
