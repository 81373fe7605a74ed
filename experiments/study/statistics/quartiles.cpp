#include "experiments/study/statistics/quartiles.hpp"

#include <algorithm>

#include "core/result.hpp"

namespace ke::statistics {

Quartiles quartiles_of(std::vector<double> values) {
  KE_CHECK(!values.empty());
  std::ranges::sort(values);
  Quartiles quartiles{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double place = 0.25 * static_cast<double>((i + 1) * (values.size() - 1));
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    const double part = place - static_cast<double>(below);
    quartiles[i] = values[below] + part * (values[above] - values[below]);
  }
  return quartiles;
}

}  // namespace ke::statistics
