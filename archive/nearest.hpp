#pragma once
// The nearest of many points.

#include <cstdint>
#include <span>
#include <vector>

namespace ke {

/// k-d tree over points of `dimensions` numbers. Exact: among equally near points the one with the
/// lowest index is the nearest, as if all had been compared. Built in O(n log^2 n).
class NearestPoint {
 public:
  NearestPoint(std::vector<double> points, std::size_t dimensions);
  std::size_t count() const { return order_.size(); }
  std::span<const double> point(std::size_t i) const {
    return std::span(points_).subspan(i * dimensions_, dimensions_);
  }
  /// About O(log n) in few dimensions.
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
  std::vector<std::size_t> order_;  ///< a tree in place: the middle of a range splits it
};

}  // namespace ke
