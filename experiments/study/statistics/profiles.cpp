#include "experiments/study/statistics/profiles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/result.hpp"

namespace ke::statistics {
namespace {

double share(std::ptrdiff_t count, std::size_t total) {
  return static_cast<double>(count) / static_cast<double>(total);
}

std::vector<double> best_costs(std::span<const std::vector<double>> costs) {
  std::vector<double> best = costs.front();
  for (const auto& strategy : costs) {
    KE_CHECK(strategy.size() == best.size());
    for (std::size_t task = 0; task < best.size(); ++task)
      best[task] = std::min(best[task], strategy[task]);
  }
  return best;
}

}  // namespace

std::vector<double> shares_above(std::span<const double> scores,
                                 std::span<const double> thresholds) {
  KE_CHECK(!scores.empty());
  std::vector<double> shares;
  for (double threshold : thresholds)
    shares.push_back(share(std::ranges::count_if(scores, [=](double s) { return s > threshold; }),
                           scores.size()));
  return shares;
}

std::vector<std::vector<double>> performance_profile(std::span<const std::vector<double>> costs,
                                                     std::span<const double> factors) {
  KE_CHECK(!costs.empty() && !costs.front().empty());
  const auto best = best_costs(costs);
  std::vector<std::vector<double>> profile;
  for (const auto& strategy : costs) {
    auto& row = profile.emplace_back();
    for (double factor : factors) {
      std::ptrdiff_t within = 0;
      for (std::size_t task = 0; task < best.size(); ++task)
        within += std::isfinite(strategy[task]) && strategy[task] <= factor * best[task];
      row.push_back(share(within, best.size()));
    }
  }
  return profile;
}

double fast_p(std::span<const JudgedSpeedup> tasks, double p) {
  KE_CHECK(!tasks.empty());
  const auto fast = [=](const JudgedSpeedup& task) { return task.correct && task.speedup > p; };
  return share(std::ranges::count_if(tasks, fast), tasks.size());
}

}  // namespace ke::statistics
