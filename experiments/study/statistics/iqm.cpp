#include "experiments/study/statistics/iqm.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/result.hpp"

namespace ke::statistics {

double interquartile_mean(std::span<const double> values) {
  KE_CHECK(!values.empty());
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const auto cut = static_cast<std::ptrdiff_t>(sorted.size() / 4);
  const double sum = std::accumulate(sorted.begin() + cut, sorted.end() - cut, 0.0);
  return sum / static_cast<double>(static_cast<std::ptrdiff_t>(sorted.size()) - 2 * cut);
}

}  // namespace ke::statistics
