#include "fitness/timing/robust.hpp"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/result.hpp"

namespace ke {

double students_t_quantile(double probability, double degrees) {
  KE_CHECK(probability > 0.0 && probability < 1.0 && degrees > 0.0);
  if (std::isinf(degrees)) return boost::math::quantile(boost::math::normal(), probability);
  return boost::math::quantile(boost::math::students_t(degrees), probability);
}

namespace {

// Reorders its argument; every caller owns the copy.
double median_in_place(std::vector<double>& values) {
  KE_CHECK(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2.0;
}

}  // namespace

double median_of(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  return median_in_place(copy);
}

double lower_quartile(std::span<const double> values) {
  KE_CHECK(!values.empty());
  std::vector<double> copy(values.begin(), values.end());
  const auto at = copy.begin() + static_cast<std::ptrdiff_t>(copy.size() / 4);
  std::nth_element(copy.begin(), at, copy.end());
  return *at;
}

double hodges_lehmann(std::span<const double> values) {
  std::vector<double> averages;
  averages.reserve(values.size() * (values.size() + 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = i; j < values.size(); ++j)
      averages.push_back((values[i] + values[j]) / 2.0);
  return median_in_place(averages);
}

double mad_spread(std::span<const double> values) {
  constexpr double normal_consistency = 1.482602218505602;  // 1 / quantile(normal, 0.75)
  const double centre = median_of(values);
  std::vector<double> deviations(values.begin(), values.end());
  for (double& value : deviations) value = std::abs(value - centre);
  return normal_consistency * median_in_place(deviations);
}

double mean_of(std::span<const double> values) {
  KE_CHECK(!values.empty());
  double sum = 0.0;
  for (double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double variance_of(std::span<const double> values) {
  KE_CHECK(values.size() >= 2);
  const double mean = mean_of(values);
  double sum = 0.0;
  for (double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size() - 1);
}

}  // namespace ke
