#include "experiments/study/statistics/variance_components.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>

#include "core/result.hpp"
#include "fitness/timing/robust.hpp"

namespace ke::statistics {
namespace {

constexpr double tail = 0.025;

struct Squares {
  double groups = 0;  ///< degrees of freedom between
  double rest = 0;    ///< degrees of freedom within
  double size = 0;    ///< harmonic mean of the groups' sizes
  double means = 0;   ///< variance of the groups' means
  double within = 0;  ///< mean square inside the groups
};

Squares squares_of(std::span<const std::vector<double>> groups) {
  Squares squares;
  std::vector<double> means;
  double inverse = 0, sum = 0;
  for (const std::vector<double>& group : groups) {
    KE_CHECK(!group.empty());
    means.push_back(mean_of(group));
    for (const double value : group) sum += (value - means.back()) * (value - means.back());
    inverse += 1 / static_cast<double>(group.size());
    squares.rest += static_cast<double>(group.size() - 1);
  }
  KE_CHECK(groups.size() >= 2 && squares.rest >= 1);
  squares.groups = static_cast<double>(groups.size() - 1);
  squares.size = static_cast<double>(groups.size()) / inverse;
  squares.means = variance_of(means);
  squares.within = sum / squares.rest;
  return squares;
}

double chi_squared(double probability, double degrees) {
  return boost::math::quantile(boost::math::chi_squared(degrees), probability);
}

/// Variance of means in excess of `f` times the variance that chance gives them.
double above_chance(const Squares& s, double f) {
  return std::max(0.0, s.means - f * s.within / s.size);
}

Variance share_of(const Squares& s, double low_f, double high_f) {
  const double noise = s.within / s.size;
  if (s.means == 0 && noise == 0) return {0, {0, 1}};
  // a / (a + b) with the ratio a / b = (F / f - 1) / size, free of divisions by 0.
  const auto at = [&](double f) {
    const double between = above_chance(s, f);
    return between / (between + f * s.within);
  };
  return {at(1), {at(high_f), at(low_f)}};
}

}  // namespace

VarianceComponents variance_components(std::span<const std::vector<double>> groups) {
  const Squares s = squares_of(groups);
  const boost::math::fisher_f f(s.groups, s.rest);
  const double low_f = boost::math::quantile(f, tail), high_f = boost::math::quantile(f, 1 - tail);
  VarianceComponents found;
  found.groups = groups.size();
  for (const auto& group : groups) found.values += group.size();
  found.within.value = s.within;
  found.within.ci = {s.rest * s.within / chi_squared(1 - tail, s.rest),
                     s.rest * s.within / chi_squared(tail, s.rest)};
  found.between.value = above_chance(s, 1);
  found.between.ci = {s.groups * above_chance(s, high_f) / chi_squared(1 - tail, s.groups),
                      s.groups * above_chance(s, low_f) / chi_squared(tail, s.groups)};
  found.share = share_of(s, low_f, high_f);
  return found;
}

}  // namespace ke::statistics
