#pragma once
// The rule by which the elements of one output are judged, on the host and on the device alike.

#include <cmath>
#include <cstddef>

#include "fitness/content/content.hpp"

namespace ke {

/// Outputs are brought back to the scale of the entry, which is exact, so that the entry's expected
/// values serve all its scaled versions. Right is |got - want| <= (relative + rounding) |want| +
/// scale rms(row) + floor.
struct CompareRule {
  double inverse = 1;  ///< 1 / output factor
  double relative = 0;
  /// Of half types one and a half of their epsilon: the neighbours of the expected value, rounded,
  /// are right whatever the tolerance, which is that of the arithmetic in front of the rounding.
  /// 0 of float32 and float64, whose tolerances hold the rounding.
  double rounding = 0;
  double scale = 0;
  double floor = 0;            ///< at the entry's scale
  double overflow = 0;         ///< |want| from which an infinity of its sign is right too
  double allowed_squares = 0;  ///< sum of squared errors over clean rows, in units of the facts
  bool skips_nonfinite = false;

  double allowed(double row_rms) const { return scale * row_rms + floor; }
};

CompareRule compare_rule(const FreshContent& content, std::size_t output);

}  // namespace ke
