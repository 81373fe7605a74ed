#include "experiments/study/statistics/equivalence.hpp"

#include <algorithm>
#include <cmath>

#include "core/result.hpp"
#include "fitness/timing/robust.hpp"
#include "fitness/timing/students_t.hpp"

namespace ke::statistics {
namespace {

// Without noise, the difference is known, and the tests reduce to comparisons.
double one_sided(double gap, double error, double degrees) {
  if (error == 0.0) return gap > 0.0 ? 0.0 : 1.0;
  return students_t_probability(-gap / error, degrees);
}

Equivalence tost(double difference, double error, double degrees, double low, double high,
                 double alpha) {
  KE_CHECK(low < high && alpha > 0.0 && alpha < 0.5);
  const double width = error == 0.0 ? 0.0 : students_t_quantile(1.0 - alpha, degrees) * error;
  Equivalence result{difference, 1.0, difference - width, difference + width, false};
  result.p = std::max(one_sided(difference - low, error, degrees),
                      one_sided(high - difference, error, degrees));
  result.equivalent = result.p < alpha;
  return result;
}

}  // namespace

Equivalence paired_equivalence(std::span<const double> differences, double low, double high,
                               double alpha) {
  const auto n = static_cast<double>(differences.size());
  const double error = std::sqrt(variance_of(differences) / n);
  return tost(mean_of(differences), error, n - 1.0, low, high, alpha);
}

Equivalence independent_equivalence(std::span<const double> x, std::span<const double> y,
                                    double low, double high, double alpha) {
  const double n = static_cast<double>(x.size()), m = static_cast<double>(y.size());
  const double a = variance_of(x) / n, b = variance_of(y) / m;
  const double shares = a * a / (n - 1.0) + b * b / (m - 1.0);
  const double degrees = shares > 0.0 ? (a + b) * (a + b) / shares : n + m - 2.0;
  return tost(mean_of(x) - mean_of(y), std::sqrt(a + b), degrees, low, high, alpha);
}

}  // namespace ke::statistics
