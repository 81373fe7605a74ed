#pragma once
// The fast part of comparing: accepts elements that are certainly right, in single precision, with
// the machine's widest vectors. Double precision decides the rest, so no verdict depends on this
// part.

#include <cstdint>

namespace ke {

/// Tolerance of one row in single precision, slightly tighter than the true one.
struct QuickLimit {
  float inverse = 1;  ///< 1 / output factor, a power of two with sign
  float relative = 0;
  float allowed = 0;
  bool usable = false;  ///< false: squares could vanish or overflow, use double precision
};

/// The limit for a row of `rms` under the true `relative` and `allowed`.
QuickLimit quick_limit(double inverse, double relative, double allowed, double rms);

/// Whether all of `got` lie within the limit of `want` (the expected values, rounded). Adds at
/// least the squared error to `squares`. Never accepts NaN.
bool quick_accept(const float* got, const float* want, std::int64_t count, const QuickLimit& limit,
                  double& squares);

}  // namespace ke
