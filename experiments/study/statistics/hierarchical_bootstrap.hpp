#pragma once
// Confidence intervals over kernels, devices and seeds. Resamples level by level, because seeds of
// one kernel are not independent evidence about kernels.

#include <functional>
#include <span>
#include <vector>

#include "experiments/study/statistics/random_index.hpp"

namespace ke::statistics {

/// values[kernel][device][seed]: the endpoint, or the paired difference of two arms. May be ragged,
/// but levels must not be empty.
using Hierarchy = std::vector<std::vector<std::vector<double>>>;

/// `studentized` is the bootstrap-t [Efron1993, ch. 12]: its coverage holds from about 10 units on,
/// where percentiles are too narrow. Its bounds are never inside those of Student's t, because it
/// is slightly narrow itself for heavy tails. `percentile` needs no spread and respects bounded
/// scales.
enum class BootstrapMethod { studentized, percentile };

/// Units from which on intervals have the coverage that they claim.
inline constexpr int least_units_for_intervals = 10;

struct BootstrapOptions {
  int repetitions = 2000;  ///< >= 100
  double level = 0.95;     ///< in (0, 1)
  BootstrapMethod method = BootstrapMethod::studentized;
  /// Reduces the seeds of one kernel on one device; higher levels are averaged with equal weights.
  std::function<double(std::span<const double>)> reduce_seeds{};  ///< default: the mean
};

struct BootstrapInterval {
  double estimate = 0.0;
  double low = 0.0;
  double high = 0.0;
  int units = 0;  ///< independent units: kernels, or devices or seeds if there is only one kernel
  std::vector<double> unit_values{};  ///< one per unit; their mean is the estimate
  /// Two-sided p-value for a mean of 0, from the same resamples as the interval: at most 1 - level
  /// if the interval excludes 0. 1 for a single unit.
  double p = 1.0;
};

/// Estimate and interval. Draws kernels with replacement, within each its devices, within each its
/// seeds. With one kernel, the interval refers to that kernel only: the units are its devices (or,
/// with one device, its seeds). A single unit gives (-infinity, infinity).
BootstrapInterval hierarchical_bootstrap(const Hierarchy& values, const RandomIndex& random,
                                         const BootstrapOptions& options = {});

}  // namespace ke::statistics
