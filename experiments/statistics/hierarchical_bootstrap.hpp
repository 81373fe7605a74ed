#pragma once
// Intervals over kernels, devices and seeds: resampled level by level, since seeds of one kernel
// are not independent evidence about kernels.

#include <functional>
#include <span>
#include <vector>

#include "experiments/statistics/random_index.hpp"

namespace ke::statistics {

/// values[kernel][device][seed]: the endpoint, or the paired difference of two arms. Ragged is
/// fine, empty levels are not.
using Hierarchy = std::vector<std::vector<std::vector<double>>>;

/// `studentized` is the bootstrap-t [Efron1993, ch. 12]: its coverage holds from about 10 units on,
/// where percentiles are too narrow; its bounds are never inside those of Student's t, as it is a
/// little narrow itself where tails are heavy. `percentile` needs no spread and respects bounded
/// scales.
enum class BootstrapMethod { studentized, percentile };

struct BootstrapOptions {
  int repetitions = 2000;  ///< >= 100
  double level = 0.95;     ///< in (0, 1)
  BootstrapMethod method = BootstrapMethod::studentized;
  /// Reduces the seeds of one kernel on one device; the levels above are averaged with equal
  /// weights.
  std::function<double(std::span<const double>)> reduce_seeds{};  ///< the mean when empty
};

struct BootstrapInterval {
  double estimate = 0.0;
  double low = 0.0;
  double high = 0.0;
  int units = 0;  ///< independent units: kernels, or devices or seeds where there is but one kernel
  std::vector<double> unit_values{};  ///< one a unit; their mean is the estimate
  /// Two-sided p-value of a mean of 0, from the same resamples as the interval: at most
  /// 1 - level where the interval leaves 0 out. 1 for a single unit.
  double p = 1.0;
};

/// Estimate and interval. Kernels are drawn with replacement, within each its devices, within each
/// its seeds. With one kernel the interval speaks of that kernel alone: its devices (or, with one
/// device, its seeds) are then the units. A single unit gives (-infinity, infinity).
BootstrapInterval hierarchical_bootstrap(const Hierarchy& values, const RandomIndex& random,
                                         const BootstrapOptions& options = {});

}  // namespace ke::statistics
