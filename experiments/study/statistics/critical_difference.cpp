#include "experiments/study/statistics/critical_difference.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/result.hpp"
#include "experiments/study/statistics/ranks.hpp"

namespace ke::statistics {
namespace {

double normal_density(double z) {
  return std::exp(-z * z / 2.0) / std::sqrt(2.0 * std::numbers::pi);
}

double normal_between(double low, double high) {
  return 0.5 * (std::erfc(low / std::numbers::sqrt2) - std::erfc(high / std::numbers::sqrt2));
}

struct RankSums {
  std::vector<double> sums;
  double ties = 0.0;
};

RankSums rank_sums(std::span<const std::vector<double>> scores) {
  RankSums result{std::vector<double>(scores.size(), 0.0), 0.0};
  for (std::size_t task = 0; task < scores.front().size(); ++task) {
    std::vector<double> losses;
    for (const auto& strategy : scores) losses.push_back(-strategy.at(task));
    const auto ranks = midranks(losses);
    for (std::size_t s = 0; s < ranks.size(); ++s) result.sums[s] += ranks[s];
    result.ties += tie_sum(losses);
  }
  return result;
}

double friedman_statistic(const RankSums& ranks, double k, double n) {
  double squares = 0.0;
  for (double sum : ranks.sums) squares += sum * sum;
  const double correction = 1.0 - ranks.ties / (k * (k * k - 1.0) * n);
  if (correction <= 0.0) return 0.0;  // all strategies tie on every task
  return (12.0 / (k * n * (k + 1.0)) * squares - 3.0 * n * (k + 1.0)) / correction;
}

std::vector<std::pair<int, int>> groups_within(std::vector<double> ranks, double difference) {
  std::ranges::sort(ranks);
  std::vector<std::pair<int, int>> groups;
  const int count = static_cast<int>(ranks.size());
  for (int first = 0, reached = -1; first < count; ++first) {
    int last = first;
    while (last + 1 < count &&
           ranks[static_cast<std::size_t>(last + 1)] - ranks[static_cast<std::size_t>(first)] <
               difference)
      ++last;
    if (last > first && last > reached) groups.emplace_back(first, last);
    reached = std::max(reached, last);
  }
  return groups;
}

}  // namespace

RankComparison compare_ranks(std::span<const std::vector<double>> scores, double alpha) {
  KE_CHECK(scores.size() >= 2 && !scores.front().empty() && alpha > 0.0 && alpha < 1.0);
  for (const auto& strategy : scores) KE_CHECK(strategy.size() == scores.front().size());
  const auto ranks = rank_sums(scores);
  const auto k = static_cast<double>(scores.size());
  const auto n = static_cast<double>(scores.front().size());
  RankComparison result;
  for (double sum : ranks.sums) result.average_ranks.push_back(sum / n);
  result.friedman = std::max(0.0, friedman_statistic(ranks, k, n));
  result.friedman_p =
      boost::math::cdf(boost::math::complement(boost::math::chi_squared(k - 1.0), result.friedman));
  const double q = studentized_range_quantile(1.0 - alpha, static_cast<int>(scores.size()));
  result.critical_difference = q / std::numbers::sqrt2 * std::sqrt(k * (k + 1.0) / (6.0 * n));
  result.groups = groups_within(result.average_ranks, result.critical_difference);
  return result;
}

double studentized_range_probability(double range, int k) {
  KE_CHECK(k >= 2);
  if (range <= 0.0) return 0.0;
  // The smallest of k variables is at z; the others lie within `range` above it.
  const auto integrand = [=](double z) {
    return k * normal_density(z) * std::pow(normal_between(z, z + range), k - 1);
  };
  using boost::math::quadrature::gauss_kronrod;
  return std::min(1.0,
                  gauss_kronrod<double, 61>::integrate(integrand, -9.0 - range, 9.0, 8, 1e-12));
}

double studentized_range_quantile(double probability, int k) {
  KE_CHECK(probability > 0.0 && probability < 1.0);
  double low = 0.0, high = 100.0;
  while (high - low > 1e-11) {
    const double middle = (low + high) / 2.0;
    (studentized_range_probability(middle, k) < probability ? low : high) = middle;
  }
  return (low + high) / 2.0;
}

}  // namespace ke::statistics
