#pragma once
// Which of some measured shapes is like another one. Part of every exported dispatcher.

#include <cmath>
#include <cstddef>

namespace dispatch {

/// A shape is known where no axis of the nearest measured shape is longer or shorter by more than
/// this factor. Kernels lose beyond: a row that no longer fills the vectors, or a tensor that
/// leaves a cache, is a matter of such factors. Drawn shapes (training_shapes.hpp) reach as far.
inline constexpr double usual_reach = 4;

/// Squared distance of two shapes of `axes` lengths, in powers of two: an axis half or twice as
/// long is as far away whatever its length.
inline double squared_distance(const std::size_t* a, const std::size_t* b, std::size_t axes) {
  double sum = 0;
  for (std::size_t i = 0; i < axes; ++i) {
    const double apart =
        std::log2(static_cast<double>(a[i])) - std::log2(static_cast<double>(b[i]));
    sum += apart * apart;
  }
  return sum;
}

/// Index of the shape nearest to `asked`; the first one of equals. `shapes` holds `count` rows of
/// `axes` lengths, none of them 0.
inline std::size_t nearest_shape(const std::size_t* shapes, std::size_t count,
                                 const std::size_t* asked, std::size_t axes) {
  std::size_t best = 0;
  double least = INFINITY;
  for (std::size_t i = 0; i < count; ++i) {
    const double distance = squared_distance(shapes + i * axes, asked, axes);
    if (distance >= least) continue;
    least = distance;
    best = i;
  }
  return best;
}

/// Whether every axis of `a` is at most `reach` times as long as that of `b`, and the reverse.
inline bool is_within(double reach, const std::size_t* a, const std::size_t* b, std::size_t axes) {
  for (std::size_t i = 0; i < axes; ++i) {
    const double one = static_cast<double>(a[i]), other = static_cast<double>(b[i]);
    if (one > reach * other || other > reach * one) return false;
  }
  return true;
}

}  // namespace dispatch
