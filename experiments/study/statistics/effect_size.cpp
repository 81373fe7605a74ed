#include "experiments/study/statistics/effect_size.hpp"

#include "core/result.hpp"
#include "experiments/study/statistics/ranks.hpp"

namespace ke::statistics {

double vargha_delaney_a12(std::span<const double> x, std::span<const double> y) {
  KE_CHECK(!x.empty() && !y.empty());
  std::vector<double> pooled(x.begin(), x.end());
  pooled.insert(pooled.end(), y.begin(), y.end());
  const auto ranks = midranks(pooled);
  const auto n = static_cast<double>(x.size());
  double rank_sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) rank_sum += ranks[i];
  return (rank_sum - n * (n + 1.0) / 2.0) / (n * static_cast<double>(y.size()));
}

double probability_of_improvement(std::span<const TaskScores> tasks) {
  KE_CHECK(!tasks.empty());
  double sum = 0.0;
  for (const auto& task : tasks) sum += vargha_delaney_a12(task.x, task.y);
  return sum / static_cast<double>(tasks.size());
}

}  // namespace ke::statistics
