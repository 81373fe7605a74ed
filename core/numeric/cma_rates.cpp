#include "core/numeric/cma_rates.hpp"

#include <algorithm>
#include <cmath>

#include "core/portable_math.hpp"
#include "core/result.hpp"

namespace ke {

CmaRates cma_rates(std::size_t dimensions, std::size_t parents) {
  KE_CHECK(dimensions >= 1 && parents >= 1);
  CmaRates rates;
  const double n = static_cast<double>(dimensions);
  const double head = portable_log(static_cast<double>(parents) + 0.5);
  double sum = 0;
  for (std::size_t i = 1; i <= parents; ++i) {
    rates.weights.push_back(head - portable_log(static_cast<double>(i)));
    sum += rates.weights.back();
  }
  double squares = 0;
  for (double& weight : rates.weights) {
    weight /= sum;
    squares += weight * weight;
  }
  rates.mueff = 1 / squares;
  const double mueff = rates.mueff;
  rates.cc = (4 + mueff / n) / (n + 4 + 2 * mueff / n);
  rates.cs = (mueff + 2) / (n + mueff + 5);
  rates.c1 = 2 / ((n + 1.3) * (n + 1.3) + mueff);
  rates.cmu = std::min(1 - rates.c1, 2 * (mueff - 2 + 1 / mueff) / ((n + 2) * (n + 2) + mueff));
  rates.damps = 1 + 2 * std::max(0.0, std::sqrt((mueff - 1) / (n + 1)) - 1) + rates.cs;
  return rates;
}

CmaRates separable_rates(std::size_t dimensions, std::size_t parents) {
  CmaRates rates = cma_rates(dimensions, parents);
  const double n = static_cast<double>(dimensions);
  const double mueff = rates.mueff;
  const double root = std::sqrt(n);
  rates.cc = (1 + 1 / n + mueff / n) / (root + 1 / n + 2 * mueff / n);
  rates.c1 = rates.c1 * ((n + 1.3) * (n + 1.3) + mueff) / 2 / (n + 2 * root + mueff / n);
  rates.cmu = std::min(1 - rates.c1, (mueff + 1 / mueff - 2) / (n + 4 * root + mueff / 2));
  return rates;
}

bool path_is_short(const CmaRates& rates, double squared_path, std::size_t dimensions,
                   double generation) {
  const double n = static_cast<double>(dimensions);
  const double decay = portable_exp(2 * generation * portable_log(1 - rates.cs));
  return squared_path / n / (1 - decay) < 2 + 4 / (n + 1);
}

double step_factor(const CmaRates& rates, double squared_path, std::size_t dimensions) {
  const double excess = squared_path / static_cast<double>(dimensions) - 1;
  return portable_exp(std::min(1.0, rates.cs / rates.damps * excess / 2));
}

}  // namespace ke
