#include "experiments/study/statistics/reachable_p.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/result.hpp"

namespace ke::statistics {
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

}  // namespace ke::statistics
