#include "experiments/study/statistics/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ke::statistics {
namespace {

// Calls use(first, last) for each group of equal values in sorted order.
template <typename Use>
void for_each_group(std::span<const double> sorted, Use use) {
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t last = first + 1;
    while (last < sorted.size() && sorted[last] == sorted[first]) ++last;
    use(first, last);
    first = last;
  }
}

}  // namespace

std::vector<double> midranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](auto a, auto b) { return values[a] < values[b]; });
  std::vector<double> sorted, ranks(values.size());
  for (auto index : order) sorted.push_back(values[index]);
  for_each_group(sorted, [&](std::size_t first, std::size_t last) {
    for (auto i = first; i < last; ++i)
      ranks[order[i]] = static_cast<double>(first + 1 + last) / 2.0;
  });
  return ranks;
}

double tie_sum(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  double sum = 0.0;
  for_each_group(sorted, [&](std::size_t first, std::size_t last) {
    const auto count = static_cast<double>(last - first);
    sum += count * count * count - count;
  });
  return sum;
}

// Pearson's coefficient of the ranks; their mean is (n + 1) / 2 with any ties.
std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b) {
  const auto of_a = midranks(a);
  const auto of_b = midranks(b);
  const double mean = (static_cast<double>(a.size()) + 1) / 2;
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (of_a[i] - mean) * (of_b[i] - mean);
    aa += (of_a[i] - mean) * (of_a[i] - mean);
    bb += (of_b[i] - mean) * (of_b[i] - mean);
  }
  if (aa == 0 || bb == 0) return std::nullopt;
  return ab / std::sqrt(aa * bb);
}

}  // namespace ke::statistics
