#include "experiments/study/landscape/exact_random.hpp"

#include <algorithm>
#include <functional>

namespace ke {

std::vector<double> ranked_quality(const Landscape& landscape) {
  std::vector<double> ranked;
  for (const Landscape::Point& point : landscape.points()) {
    ranked.push_back(point.verdict == Verdict::ok ? landscape.best_time() / point.time : 0);
  }
  std::sort(ranked.begin(), ranked.end(), std::greater<>());
  return ranked;
}

double expected_best(std::span<const double> ranked, std::int64_t draws) {
  if (ranked.empty() || draws < 1) return 0;
  const auto size = static_cast<double>(ranked.size());
  const auto n = static_cast<double>(draws);
  double sum = 0;
  double none_better = 1;  // chance that none of the i best ones was drawn
  for (std::size_t i = 0; i < ranked.size() && none_better > 0; ++i) {
    const double left = size - static_cast<double>(i);
    // chance that the best one left was drawn, given that
    const double drawn = std::min(1.0, n / left);
    sum += ranked[i] * none_better * drawn;
    none_better *= 1 - drawn;
  }
  return sum;
}

}  // namespace ke
