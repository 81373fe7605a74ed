#include "experiments/study/statistics/wilson.hpp"

#include <algorithm>
#include <cmath>

#include "core/result.hpp"

namespace ke::statistics {

Interval wilson_interval(std::int64_t successes, std::int64_t trials) {
  KE_CHECK(successes >= 0 && successes <= trials);
  if (trials == 0) return {0, 1};
  constexpr double z = 1.959963984540054;  // 97.5 % quantile of the normal distribution
  const auto n = static_cast<double>(trials);
  const double share = static_cast<double>(successes) / n;
  const double scale = 1 + z * z / n;
  const double centre = (share + z * z / (2 * n)) / scale;
  const double half = z / scale * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  return {std::max(0.0, centre - half), std::min(1.0, centre + half)};
}

}  // namespace ke::statistics
