#pragma once
// MAP-Elites over a centroidal Voronoi tessellation [Vassiliades2018cvt].

#include <memory>
#include <vector>

#include "archive/acceptance.hpp"
#include "archive/axis.hpp"
#include "archive/elites.hpp"
#include "archive/nearest.hpp"

namespace ke {

/// `cells` centroids in [0, 1]^dimensions from `rounds` rounds of Lloyd's algorithm over 25 x cells
/// uniform points. Depends only on the arguments; equal on every machine.
std::vector<double> make_centroids(std::size_t cells, std::size_t dimensions, std::int64_t seed,
                                   std::int64_t rounds);

/// One elite per centroid. A candidate belongs to the centroid nearest to its position in [0, 1]^n
/// (see Axis::position); ties go to the lower number. Unlike a grid, the number of cells does not
/// depend on the number of axes.
class CvtArchive final : public Archive {
 public:
  CvtArchive(std::vector<Axis> axes, std::vector<double> centroids,
             std::shared_ptr<const AcceptanceRule> rule);
  AddResult add(const CandidatePtr& candidate, Decision decision = Decision::none) override;
  bool may_enter(const Candidate& candidate) const override;
  const std::vector<Elite>& elites() const override { return elites_.list(); }
  std::size_t cells() const override { return centroids_.count(); }
  std::size_t cell_of(const Candidate& candidate) const override;
  std::size_t clipped() const override { return clipped_; }

  /// One axis for the store; its bins are the centroids, labelled by their coordinates in [0, 1]^n.
  AxisShape shape() const;

 private:
  std::vector<Axis> axes_;
  NearestPoint centroids_;
  std::shared_ptr<const AcceptanceRule> rule_;
  std::size_t clipped_ = 0;
  ElitesByCell elites_;
};

}  // namespace ke
