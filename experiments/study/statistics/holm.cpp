#include "experiments/study/statistics/holm.hpp"

#include <algorithm>
#include <numeric>

namespace ke::statistics {

std::vector<double> holm_adjusted(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](auto a, auto b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double running = 0.0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double factor = static_cast<double>(order.size() - i);
    running = std::max(running, std::min(1.0, factor * p_values[order[i]]));
    adjusted[order[i]] = running;
  }
  return adjusted;
}

}  // namespace ke::statistics
