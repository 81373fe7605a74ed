#pragma once
// Combines two archives of one kind: kernels that lose at validation compete among themselves.

#include <memory>
#include <vector>

#include "archive/axis.hpp"
#include "core/archive.hpp"

namespace ke {

/// Each cell has a place for its best generalist and one for its best specialist (validation.hpp):
/// `generalists` has the cells [0, n), `specialists` the cells [n, 2 n). A candidate without
/// validation figures is a generalist.
class SpecialistArchive final : public Archive {
 public:
  /// Both archives must be empty, equal, and have a bounded number of cells.
  SpecialistArchive(std::unique_ptr<Archive> generalists, std::unique_ptr<Archive> specialists);

  OfferResult offer(const CandidatePtr& candidate, Decision decision = Decision::none) override;
  bool may_enter(const Candidate& candidate) const override;
  const std::vector<Elite>& elites() const override { return elites_; }
  std::size_t cells() const override { return 2 * generalists_->cells(); }
  std::size_t cell_of(const Candidate& candidate) const override;
  std::vector<double> position(const Candidate& candidate) const override {
    return generalists_->position(candidate);
  }
  std::size_t clipped() const override { return generalists_->clipped() + specialists_->clipped(); }

  const Archive& generalists() const { return *generalists_; }
  /// The axis generalist or specialist, which precedes the axes of both archives.
  static AxisShape axis();

 private:
  Archive& part_of(const Candidate& candidate) const;
  std::size_t first_cell(const Candidate& candidate) const;
  void gather();

  std::unique_ptr<Archive> generalists_;
  std::unique_ptr<Archive> specialists_;
  std::vector<Elite> elites_;
};

}  // namespace ke
