#pragma once
// The rule that judges the elements of one output, on the host and on the device alike.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "fitness/content/content.hpp"

namespace ke {

/// Outputs are scaled back, exactly, to the entry, so that its expected values serve all scaled
/// versions. An element is right if |got - want| <= (relative + rounding) |want| + scale rms(row) +
/// floor, and misses otherwise. The output is right if at most `most_misses` of its elements miss,
/// no finite expected value got NaN or infinity, and no error exceeds `max_error` + rounding
/// |want|.
struct CompareRule {
  double inverse = 1;  ///< 1 / output factor
  double relative = 0;
  /// Half types: 1.5 epsilon, so that values one rounding step away pass; `relative` then covers
  /// only the arithmetic before the rounding. 0 for float32 and float64, whose tolerances include
  /// rounding.
  double rounding = 0;
  double scale = 0;
  double floor = 0;            ///< in the entry's scale, with the tolerance's `absolute`
  double overflow = 0;         ///< from this |want| on, an infinity of the same sign is right too
  double allowed_squares = 0;  ///< sum of squared errors over clean rows, in OutputFacts::unit
  double max_error = 0;        ///< in the entry's scale; infinity: no limit
  std::int64_t most_misses = 0;
  bool skips_nonfinite = false;

  double allowed(double row_rms) const { return scale * row_rms + floor; }
};

CompareRule compare_rule(const FreshContent& content, std::size_t output);

}  // namespace ke
