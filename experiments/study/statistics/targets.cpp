#include "experiments/study/statistics/targets.hpp"

#include <algorithm>
#include <limits>

#include "core/result.hpp"

namespace ke::statistics {

std::vector<double> best_so_far(std::span<const double> values) {
  std::vector<double> best(values.begin(), values.end());
  for (std::size_t i = 1; i < best.size(); ++i) best[i] = std::max(best[i], best[i - 1]);
  return best;
}

std::optional<std::int64_t> evaluations_to_target(std::span<const double> values, double target) {
  const auto hit = std::ranges::find_if(values, [=](double value) { return value >= target; });
  if (hit == values.end()) return std::nullopt;
  return static_cast<std::int64_t>(hit - values.begin()) + 1;
}

double expected_running_time(std::span<const TargetRun> runs) {
  KE_CHECK(!runs.empty());
  double spent = 0.0, reached = 0.0;
  for (const auto& run : runs) {
    spent += static_cast<double>(run.evaluations);
    reached += run.reached ? 1.0 : 0.0;
  }
  return reached > 0.0 ? spent / reached : std::numeric_limits<double>::infinity();
}

std::vector<double> shares_reached(std::span<const TargetRun> runs,
                                   std::span<const std::int64_t> budgets) {
  KE_CHECK(!runs.empty());
  std::vector<double> shares;
  for (auto budget : budgets) {
    const auto within = std::ranges::count_if(
        runs, [=](const TargetRun& run) { return run.reached && run.evaluations <= budget; });
    shares.push_back(static_cast<double>(within) / static_cast<double>(runs.size()));
  }
  return shares;
}

}  // namespace ke::statistics
