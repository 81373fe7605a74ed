#pragma once
// The quick half of comparing: accepts what is right beyond doubt in single precision, with the
// widest vectors of the machine. What it does not accept is decided in double precision, so no
// verdict depends on it.

#include <cstdint>

namespace ke {

/// Tolerance of one row in single precision, made a little smaller than the true one.
struct QuickLimit {
  float inverse = 1;  ///< 1 / output factor, a power of two with sign
  float relative = 0;
  float allowed = 0;
  bool usable = false;  ///< false: squares could vanish or overflow, decide in double precision
};

/// The limit for a row of `rms` under the true `relative` and `allowed`.
QuickLimit quick_limit(double inverse, double relative, double allowed, double rms);

/// True when all of `got` lie within the limit of `want` (the expected values, rounded). Adds no
/// less than the squared error to `squares`. NaN is never accepted.
bool quick_accept(const float* got, const float* want, std::int64_t count, const QuickLimit& limit,
                  double& squares);

}  // namespace ke
