#pragma once
// MAP-Elites grid [Mouret2015].

#include <memory>
#include <optional>
#include <vector>

#include "archive/acceptance.hpp"
#include "archive/axis.hpp"
#include "archive/elites.hpp"

namespace ke {

/// One elite per combination of bins. The last axis varies fastest in the cell number. A missing or
/// NaN measure counts in the lowest bin, and as clipped.
class GridArchive final : public Archive {
 public:
  /// Without axes there is one cell. If `thresholds` is set, it decides instead of `rule`.
  GridArchive(std::vector<Axis> axes, std::shared_ptr<const AcceptanceRule> rule,
              std::optional<Thresholds> thresholds = std::nullopt);

  OfferResult offer(const CandidatePtr& candidate, Decision decision = Decision::none) override;
  bool may_enter(const Candidate& candidate) const override;
  const std::vector<Elite>& elites() const override { return elites_.list(); }
  std::size_t cells() const override { return cells_; }
  std::size_t cell_of(const Candidate& candidate) const override;
  std::size_t clipped() const override { return clipped_; }

  const std::vector<Axis>& axes() const { return axes_; }
  std::vector<double> position(const Candidate& candidate) const override;

 private:
  void offer_to_threshold(const CandidatePtr& candidate, OfferResult& result);

  std::vector<Axis> axes_;
  std::shared_ptr<const AcceptanceRule> rule_;
  std::optional<Thresholds> thresholds_;
  std::size_t cells_ = 1;
  std::size_t clipped_ = 0;
  ElitesByCell elites_;
};

}  // namespace ke
