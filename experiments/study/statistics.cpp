#include "experiments/study/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/result.hpp"

namespace ke::statistics {
double quantile(std::span<const double> sorted, double share) {
  if (sorted.empty()) return 0;
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

Quartiles quartiles_of(std::vector<double> values) {
  KE_CHECK(!values.empty());
  std::ranges::sort(values);
  return {quantile(values, 0.25), quantile(values, 0.5), quantile(values, 0.75)};
}

Interval wilson_interval(std::int64_t successes, std::int64_t trials) {
  KE_CHECK(successes >= 0 && successes <= trials);
  if (trials == 0) return {0, 1};
  constexpr double z = 1.959963984540054;  // 97.5 % quantile of the normal distribution
  const auto n = static_cast<double>(trials);
  const double share = static_cast<double>(successes) / n;
  const double scale = 1 + z * z / n;
  const double centre = (share + z * z / (2 * n)) / scale;
  const double half = z / scale * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  return {std::max(0.0, centre - half), std::min(1.0, centre + half)};
}

namespace {

std::string sentence(const std::string& size, int family, double least, double alpha,
                     const std::string& enough) {
  const auto in_family = family > 1 ? fmt::format(" in a family of {}", family) : "";
  return fmt::format(
      "{}{}: the smallest reachable p is {:.3g}, so p < {} is out of reach; {} reach it", size,
      in_family, std::min(1.0, least * family), alpha, enough);
}

}  // namespace

double least_wilcoxon_p(int pairs) {
  KE_CHECK(pairs >= 0);
  return std::min(1.0, std::ldexp(2.0, -pairs));
}

double least_mann_whitney_p(int n, int m) {
  KE_CHECK(n >= 0 && m >= 0);
  double assignments = 1.0;
  for (int i = 1; i <= n; ++i) assignments = assignments * (m + i) / i;
  return std::min(1.0, 2.0 / assignments);
}

int least_pairs_for(double alpha, int family) {
  KE_CHECK(alpha > 0.0 && family >= 1);
  int pairs = 1;
  while (least_wilcoxon_p(pairs) * family >= alpha) ++pairs;
  return pairs;
}

std::optional<std::string> pairs_out_of_reach(int pairs, double alpha, int family) {
  const double least = least_wilcoxon_p(pairs);
  if (least * family < alpha) return std::nullopt;
  return sentence(fmt::format("{} pairs", pairs), family, least, alpha,
                  fmt::format("{} pairs", least_pairs_for(alpha, family)));
}

std::optional<std::string> seeds_out_of_reach(int n, int m, double alpha, int family) {
  const double least = least_mann_whitney_p(n, m);
  if (least * family < alpha) return std::nullopt;
  int enough = 1;
  while (least_mann_whitney_p(enough, enough) * family >= alpha) ++enough;
  return sentence(fmt::format("{} against {} values", n, m), family, least, alpha,
                  fmt::format("{} against {} values", enough, enough));
}

std::vector<double> midranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](auto a, auto b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first + 1;
    while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
    const double rank = static_cast<double>(first + 1 + last) / 2.0;
    for (; first < last; ++first) ranks[order[first]] = rank;
  }
  return ranks;
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
