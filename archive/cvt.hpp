#pragma once
// MAP-Elites over a centroidal Voronoi tessellation [Vassiliades2018cvt].

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "archive/acceptance.hpp"
#include "archive/axis.hpp"
#include "archive/elites.hpp"

namespace ke {

/// k-d tree over points with `dimensions` coordinates. Exact: among equally near points the lowest
/// index is the nearest, as in a full scan. Built in O(n log^2 n).
class NearestPoint {
 public:
  NearestPoint(std::vector<double> points, std::size_t dimensions);
  std::size_t count() const { return order_.size(); }
  std::span<const double> point(std::size_t i) const {
    return std::span(points_).subspan(i * dimensions_, dimensions_);
  }
  /// About O(log n) in low dimensions.
  std::size_t find(std::span<const double> where) const;

 private:
  struct Best {
    double distance;
    std::size_t index;
  };
  void build(std::size_t first, std::size_t last, std::size_t axis);
  void search(std::size_t first, std::size_t last, std::size_t axis, std::span<const double> where,
              Best& best) const;

  std::vector<double> points_;
  std::size_t dimensions_;
  std::vector<std::size_t> order_;  ///< the tree in place: the middle of each range splits it
};

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
  OfferResult offer(const CandidatePtr& candidate, Decision decision = Decision::none) override;
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
