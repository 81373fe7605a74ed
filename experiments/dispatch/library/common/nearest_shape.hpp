#pragma once
// Finds the measured shape nearest to a given one, and the variant that is best there. Part of
// every exported dispatcher.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace dispatch {

/// Largest factor between the axes of a shape and those of the nearest measured one; beyond it, the
/// figures say nothing about the shape. Drawn shapes (training_shapes.hpp) lie as far from the
/// listed ones.
inline constexpr double usual_reach = 4;

/// Squared distance of two shapes of `axes` lengths, in powers of two: halving or doubling an axis
/// gives the same distance at any length.
inline double squared_distance(const std::size_t* a, const std::size_t* b, std::size_t axes) {
  double sum = 0;
  for (std::size_t i = 0; i < axes; ++i) {
    const double apart =
        std::log2(static_cast<double>(a[i])) - std::log2(static_cast<double>(b[i]));
    sum += apart * apart;
  }
  return sum;
}

/// Index of the shape nearest to `asked`; the first wins ties. `shapes` holds `count` rows of
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

/// True if no axis of `a` is more than `reach` times longer or shorter than that of `b`.
inline bool is_within(double reach, const std::size_t* a, const std::size_t* b, std::size_t axes) {
  for (std::size_t i = 0; i < axes; ++i) {
    const double one = static_cast<double>(a[i]), other = static_cast<double>(b[i]);
    if (one > reach * other || other > reach * one) return false;
  }
  return true;
}

/// True if the figures at measured shapes apply to `asked`: the shape of index `nearest` is within
/// `reach`, and no axis is shorter than in all measured shapes. Kernels lose most on short axes,
/// because the cost of tails and restarts grows with 1 / length.
inline bool is_known(const std::size_t* shapes, std::size_t count, std::size_t nearest,
                     const std::size_t* asked, std::size_t axes, double reach) {
  for (std::size_t axis = 0; axis < axes; ++axis) {
    bool shortest = true;
    for (std::size_t i = 0; i < count; ++i) {
      shortest = shortest && asked[axis] < shapes[i * axes + axis];
    }
    if (shortest) return false;
  }
  return is_within(reach, shapes + nearest * axes, asked, axes);
}

/// Measurements of one device.
struct Measured {
  const char* device;           ///< name that the processor, driver or OpenCL reports
  const char* extensions;       ///< of a processor, in hex; else the architecture
  const std::size_t* shapes;    ///< (count, axes)
  const unsigned char* orders;  ///< (count, measured): indices of variants from best to worst
  std::size_t count;
  std::size_t measured;
  double reach;  ///< largest factor between an axis of a shape and that of the nearest measured one
};

/// Index of the best variant at the nearest measured shape for which `can_run(index)` holds, else
/// the last of `variants`. At an unknown shape, the first variant (the anchor) precedes all others.
/// A length of 0 counts as 1.
template <typename CanRun>
std::size_t best_index(std::size_t variants, const Measured& on, const std::size_t* asked,
                       std::size_t axes, CanRun&& can_run) {
  std::vector<std::size_t> lengths(asked, asked + axes);
  for (std::size_t& length : lengths) length = std::max<std::size_t>(length, 1);
  const std::size_t row = nearest_shape(on.shapes, on.count, lengths.data(), axes);
  const bool known = is_known(on.shapes, on.count, row, lengths.data(), axes, on.reach);
  if (!known && can_run(0)) return 0;
  for (std::size_t i = 0; i < on.measured; ++i) {
    const std::size_t index = on.orders[row * on.measured + i];
    if (can_run(index)) return index;
  }
  return variants - 1;
}

}  // namespace dispatch
