#pragma once
// Archives with several elites in one cell: deep grid, score buckets, and the k best.

#include <functional>
#include <memory>
#include <vector>

#include "archive/acceptance.hpp"
#include "archive/axes.hpp"
#include "archive/axis.hpp"
#include "archive/elites.hpp"

namespace ke {

/// The incumbent that a newcomer to a full group challenges.
enum class Victim {
  random,  ///< any, replaced without a contest, so that lucky timings do not last [Flageat2020]
  worst,   ///< the weakest (ties: the younger), by the acceptance rule
};

/// The axis of the places of each group, which follows the axes of the groups.
AxisShape axis_of_places(std::size_t depth);

/// Groups of `depth` places; place p of group g is cell g x depth + p of the archive. A newcomer
/// with the build hash of a member challenges that member by the rule; otherwise it takes a free
/// place; otherwise it meets a victim. The newcomer's logical id determines the random victim.
class DeepArchive final : public Archive {
 public:
  /// Maps a candidate to its group.
  using Grouping = std::function<GridPlace(const Candidate&)>;
  DeepArchive(std::size_t groups, std::size_t depth, Victim victim, Grouping grouping,
              std::shared_ptr<const AcceptanceRule> rule, std::vector<AxisShape> shapes);
  OfferResult offer(const CandidatePtr& candidate, Decision decision = Decision::none) override;
  bool may_enter(const Candidate& candidate) const override;
  const std::vector<Elite>& elites() const override { return elites_.list(); }
  std::size_t cells() const override { return groups_ * depth_; }
  std::size_t cell_of(const Candidate& candidate) const override;
  std::size_t clipped() const override { return clipped_; }
  const std::vector<AxisShape>& shapes() const { return shapes_; }

 private:
  struct Seat {
    std::size_t cell = 0;
    bool contested = true;  ///< whether the rule decides
  };
  Seat seat_of(const Candidate& candidate, std::size_t group) const;

  std::size_t groups_;
  std::size_t depth_;
  Victim victim_;
  Grouping grouping_;
  std::shared_ptr<const AcceptanceRule> rule_;
  std::vector<AxisShape> shapes_;
  std::size_t clipped_ = 0;
  ElitesByCell elites_;
};

}  // namespace ke
