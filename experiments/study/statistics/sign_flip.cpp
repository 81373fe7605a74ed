#include "experiments/study/statistics/sign_flip.hpp"

#include <bit>
#include <cmath>
#include <vector>

#include "core/result.hpp"

namespace ke::statistics {
namespace {

/// Observed sum minus the rounding error: sums that differ only by rounding are ties.
double threshold_of(std::span<const double> values) {
  double sum = 0.0, size = 0.0;
  for (const double value : values) {
    sum += value;
    size += std::abs(value);
  }
  return std::abs(sum) - 1e-13 * size;
}

double exact_p(std::span<const double> values, double threshold) {
  std::vector<double> signed_values(values.begin(), values.end());
  const std::size_t all = std::size_t{1} << values.size();
  std::size_t extreme = 0;
  for (std::size_t i = 1; i <= all; ++i) {
    double sum = 0.0;  // recomputed, because a running sum would drift and lose ties
    for (const double value : signed_values) sum += value;
    extreme += std::abs(sum) >= threshold;
    const auto flip = static_cast<std::size_t>(std::countr_zero(i));  // Gray code
    if (flip < signed_values.size()) signed_values[flip] = -signed_values[flip];
  }
  return static_cast<double>(extreme) / static_cast<double>(all);
}

double sampled_p(std::span<const double> values, double threshold, const RandomIndex& random,
                 int draws) {
  int extreme = 1;  // counts the observed signs
  for (int i = 1; i < draws; ++i) {
    double sum = 0.0;
    for (const double value : values) sum += random(2) == 0 ? value : -value;
    extreme += std::abs(sum) >= threshold;
  }
  return static_cast<double>(extreme) / draws;
}

}  // namespace

double sign_flip_p(std::span<const double> differences, const RandomIndex& random, int draws) {
  KE_CHECK(!differences.empty() && draws >= 1);
  const double threshold = threshold_of(differences);
  return differences.size() <= most_exact_sign_flips
             ? exact_p(differences, threshold)
             : sampled_p(differences, threshold, random, draws);
}

}  // namespace ke::statistics
