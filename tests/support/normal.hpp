#pragma once
// Normal numbers for tests.

#include <cmath>

#include "core/random_stream.hpp"

namespace ke::test {

/// Standard normal, polar method.
inline double standard_normal(RandomStream& random) {
  for (;;) {
    const double u = 2 * random.uniform() - 1, v = 2 * random.uniform() - 1;
    const double s = u * u + v * v;
    if (s < 1 && s > 0) return u * std::sqrt(-2 * std::log(s) / s);
  }
}

}  // namespace ke::test
