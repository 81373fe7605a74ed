#include "experiments/study/statistics/mann_whitney.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/result.hpp"
#include "experiments/study/statistics/normal_tail.hpp"
#include "experiments/study/statistics/ranks.hpp"

namespace ke::statistics {
namespace {

// ways[s]: number of ways to choose `chosen` ranks with the doubled sum s.
std::vector<double> subset_sums(std::span<const double> ranks, std::size_t chosen) {
  std::vector<std::size_t> steps;
  for (double rank : ranks) steps.push_back(static_cast<std::size_t>(std::lround(2.0 * rank)));
  const auto total = std::accumulate(steps.begin(), steps.end(), std::size_t{0});
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(total + 1, 0.0));
  ways[0][0] = 1.0;
  for (auto step : steps)
    for (std::size_t count = chosen; count > 0; --count)
      for (std::size_t sum = total; sum >= step; --sum)
        ways[count][sum] += ways[count - 1][sum - step];
  return ways[chosen];
}

double exact_p(std::span<const double> ranks, std::size_t chosen, double rank_sum,
               Alternative alternative) {
  const auto ways = subset_sums(ranks, chosen);
  const auto observed = static_cast<std::size_t>(std::lround(2.0 * rank_sum));
  double at_most = 0.0, at_least = 0.0, all = 0.0;
  for (std::size_t sum = 0; sum < ways.size(); ++sum) {
    all += ways[sum];
    if (sum <= observed) at_most += ways[sum];
    if (sum >= observed) at_least += ways[sum];
  }
  return tail_p(at_most / all, at_least / all, alternative);
}

double approximate_p(double u, double n, double m, double ties, const MannWhitneyOptions& options) {
  const double all = n + m;
  const double variance = n * m / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)));
  return normal_p(u, n * m / 2.0, std::sqrt(std::max(variance, 0.0)), options.alternative,
                  options.continuity ? 0.5 : 0.0);
}

}  // namespace

TestResult mann_whitney(std::span<const double> x, std::span<const double> y,
                        const MannWhitneyOptions& options) {
  KE_CHECK(!x.empty() && !y.empty());
  std::vector<double> pooled(x.begin(), x.end());
  pooled.insert(pooled.end(), y.begin(), y.end());
  const auto ranks = midranks(pooled);
  const auto n = static_cast<double>(x.size()), m = static_cast<double>(y.size());
  double rank_sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) rank_sum += ranks[i];
  TestResult result;
  result.statistic = rank_sum - n * (n + 1.0) / 2.0;
  result.exact = options.method == PMethod::exact ||
                 (options.method == PMethod::automatic && std::max(n, m) <= 20.0);
  result.p = result.exact ? exact_p(ranks, x.size(), rank_sum, options.alternative)
                          : approximate_p(result.statistic, n, m, tie_sum(pooled), options);
  return result;
}

}  // namespace ke::statistics
