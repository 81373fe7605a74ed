#pragma once
// MAP-Elites grid [Mouret2015].

#include <memory>
#include <optional>
#include <vector>

#include "archive/acceptance.hpp"
#include "archive/axis.hpp"
#include "archive/elites.hpp"

namespace ke {

/// One elite for each combination of bins. The last axis runs fastest in the cell number.
/// A measure that is missing or NaN counts in the lowest bin, and as clipped.
class GridArchive final : public Archive {
 public:
  /// Without axes there is one cell. With `thresholds` they decide in place of `rule`.
  GridArchive(std::vector<Axis> axes, std::shared_ptr<const AcceptanceRule> rule,
              std::optional<Thresholds> thresholds = std::nullopt);

  AddResult add(const CandidatePtr& candidate, Decision decision = Decision::none) override;
  const std::vector<Elite>& elites() const override { return elites_.list(); }
  std::size_t cells() const override { return cells_; }
  std::size_t cell_of(const Candidate& candidate) const override;
  std::size_t clipped() const override { return clipped_; }

  const std::vector<Axis>& axes() const { return axes_; }
  /// Place in [0, 1]^n, one number an axis.
  std::vector<double> position(const Candidate& candidate) const;

 private:
  struct Place {
    std::size_t cell = 0;
    std::size_t clipped = 0;
  };
  Place place_of(const Candidate& candidate) const;
  void settle(AddResult& result, const Candidate& candidate, Decision decision);

  std::vector<Axis> axes_;
  std::shared_ptr<const AcceptanceRule> rule_;
  std::optional<Thresholds> thresholds_;
  std::size_t cells_ = 1;
  std::size_t clipped_ = 0;
  ElitesByCell elites_;
};

}  // namespace ke
