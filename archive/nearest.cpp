#include "archive/nearest.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/result.hpp"

namespace ke {

NearestPoint::NearestPoint(std::vector<double> points, std::size_t dimensions)
    : points_(std::move(points)), dimensions_(dimensions) {
  KE_CHECK(dimensions_ >= 1 && !points_.empty() && points_.size() % dimensions_ == 0);
  order_.resize(points_.size() / dimensions_);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  build(0, order_.size(), 0);
}

void NearestPoint::build(std::size_t first, std::size_t last, std::size_t axis) {
  if (last - first < 2) return;
  const auto at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
  const std::size_t middle = first + (last - first) / 2;
  std::nth_element(at(first), at(middle), at(last), [&](std::size_t a, std::size_t b) {
    const double x = point(a)[axis];
    const double y = point(b)[axis];
    return x != y ? x < y : a < b;
  });
  build(first, middle, (axis + 1) % dimensions_);
  build(middle + 1, last, (axis + 1) % dimensions_);
}

void NearestPoint::search(std::size_t first, std::size_t last, std::size_t axis,
                          std::span<const double> where, Best& best) const {
  if (first >= last) return;
  const std::size_t middle = first + (last - first) / 2;
  const std::size_t index = order_[middle];
  double distance = 0;
  for (std::size_t d = 0; d < dimensions_; ++d) {
    const double step = where[d] - point(index)[d];
    distance += step * step;
  }
  if (distance < best.distance || (distance == best.distance && index < best.index)) {
    best = {distance, index};
  }
  const double beyond = where[axis] - point(index)[axis];
  const std::size_t next = (axis + 1) % dimensions_;
  const bool left_first = beyond < 0;
  if (left_first) search(first, middle, next, where, best);
  if (!left_first) search(middle + 1, last, next, where, best);
  if (beyond * beyond > best.distance) return;  // a tie on the other side may win
  if (left_first) search(middle + 1, last, next, where, best);
  if (!left_first) search(first, middle, next, where, best);
}

std::size_t NearestPoint::find(std::span<const double> where) const {
  Best best{std::numeric_limits<double>::infinity(), order_.size()};
  search(0, order_.size(), 0, where, best);
  return best.index;
}

}  // namespace ke
