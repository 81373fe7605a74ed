#pragma once
// Nearest-neighbour search.

#include <cstdint>
#include <span>
#include <vector>

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

}  // namespace ke
