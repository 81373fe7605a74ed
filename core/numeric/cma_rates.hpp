#pragma once
// Weights and learning rates of CMA-ES for a given number of parents.

#include <vector>

namespace ke {

/// Defaults of [Hansen2016], positive weights only; they sum to 1.
struct CmaRates {
  std::vector<double> weights;
  double mueff = 1;
  double cc = 0;     ///< rate of the covariance path
  double cs = 0;     ///< rate of the step-size path
  double c1 = 0;     ///< rate of the rank-one update
  double cmu = 0;    ///< rate of the rank-mu update
  double damps = 1;  ///< damping of the step size
};

/// `parents` >= 1.
CmaRates cma_rates(std::size_t dimensions, std::size_t parents);
/// The rates for a diagonal covariance: cc, c1 and cmu are larger, as in pycma [Hansen2019pycma].
CmaRates separable_rates(std::size_t dimensions, std::size_t parents);

/// Whether the step-size path is short enough for the rank-one update. `generation` counts from 1
/// after a reset.
bool path_is_short(const CmaRates& rates, double squared_path, std::size_t dimensions,
                   double generation);
/// Factor on the step size for a path of this squared length, at most e.
double step_factor(const CmaRates& rates, double squared_path, std::size_t dimensions);

}  // namespace ke
