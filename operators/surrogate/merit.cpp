#include "operators/surrogate/merit.hpp"

#include <algorithm>
#include <cmath>

#include "core/portable_math.hpp"

namespace ke {
namespace {

double density(double z) { return 0.3989422804014327 * portable_exp(-0.5 * z * z); }

double distribution(double z) {
  const double t = 1 / (1 + 0.2316419 * std::abs(z));
  const double poly =
      t *
      (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const double tail = density(z) * poly;
  return z > 0 ? 1 - tail : tail;
}

}  // namespace

double expected_improvement(const ExtraTrees::Prediction& prediction, double best) {
  const double deviation = std::max(prediction.deviation, 1e-6);
  const double z = (prediction.mean - best) / deviation;
  return std::max(0.0, deviation * (z * distribution(z) + density(z)));
}

}  // namespace ke
