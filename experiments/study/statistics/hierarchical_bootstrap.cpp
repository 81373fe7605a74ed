#include "experiments/study/statistics/hierarchical_bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/result.hpp"
#include "fitness/timing/robust.hpp"
#include "fitness/timing/students_t.hpp"

namespace ke::statistics {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

using Reduce = std::function<double(std::span<const double>)>;

// With a single kernel, each device becomes a unit; with a single device, each seed does.
Hierarchy with_units_on_top(const Hierarchy& values) {
  if (values.size() > 1) return values;
  Hierarchy lifted;
  const auto& devices = values.front();
  if (devices.size() > 1) {
    for (const auto& device : devices) lifted.push_back({device});
  } else {
    for (double seed : devices.front()) lifted.push_back({{seed}});
  }
  return lifted;
}

struct Estimate {
  double mean = 0.0;
  double error = 0.0;
};

// Treats units that differ only by rounding as equal: their tiny error would turn noise into
// pivots.
Estimate estimate_of(std::span<const double> units) {
  const double mean = mean_of(units);
  const double error =
      units.size() > 1 ? std::sqrt(variance_of(units) / static_cast<double>(units.size())) : 0.0;
  return {mean, error > 1e-13 * std::abs(mean) ? error : 0.0};
}

double unit_value(const std::vector<std::vector<double>>& devices, const Reduce& reduce) {
  double sum = 0.0;
  for (const auto& seeds : devices) sum += reduce(seeds);
  return sum / static_cast<double>(devices.size());
}

double resampled_unit(const std::vector<std::vector<double>>& devices, const RandomIndex& random,
                      const Reduce& reduce) {
  double sum = 0.0;
  std::vector<double> drawn;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto& seeds = devices[random(devices.size())];
    drawn.clear();
    for (std::size_t j = 0; j < seeds.size(); ++j) drawn.push_back(seeds[random(seeds.size())]);
    sum += reduce(drawn);
  }
  return sum / static_cast<double>(devices.size());
}

Estimate resample(const Hierarchy& values, const RandomIndex& random, const Reduce& reduce) {
  std::vector<double> units;
  for (std::size_t i = 0; i < values.size(); ++i)
    units.push_back(resampled_unit(values[random(values.size())], random, reduce));
  return estimate_of(units);
}

// Type 7 quantile (linear interpolation) of sorted values, some of which may be infinite.
double quantile_of(const std::vector<double>& sorted, double probability) {
  const double place = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto above = std::min(below + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(below);
  if (part == 0.0 || sorted[below] == sorted[above]) return sorted[below];
  return sorted[below] + part * (sorted[above] - sorted[below]);
}

// Pivot of one resample: its mean, or its t about the estimate. A resample of a single unit has no
// error of its own, so only its side of the estimate counts.
double pivot(const Estimate& drawn, const Estimate& observed, BootstrapMethod method) {
  if (method == BootstrapMethod::percentile) return drawn.mean;
  const double gap = drawn.mean - observed.mean;
  if (drawn.error > 0.0) return gap / drawn.error;
  return gap == 0.0 ? 0.0 : std::copysign(infinity, gap);
}

// p-value from the position of 0 among the pivots: twice the smaller tail, including the observed
// sample.
double p_of_zero(const std::vector<double>& pivots, const Estimate& observed, double degrees,
                 BootstrapMethod method) {
  const bool percentile = method == BootstrapMethod::percentile;
  if (!percentile && observed.error == 0.0) return observed.mean == 0.0 ? 1.0 : 0.0;
  const double zero = percentile ? 0.0 : observed.mean / observed.error;
  std::ptrdiff_t below = 1, above = 1;
  for (const double pivot : pivots) {
    below += pivot <= zero;
    above += pivot >= zero;
  }
  const auto all = static_cast<double>(pivots.size() + 1);
  const double resampled = std::min(1.0, 2.0 * static_cast<double>(std::min(below, above)) / all);
  if (percentile) return resampled;
  const double t = 2.0 * students_t_probability(-std::abs(zero), degrees);
  return std::max(resampled, t);
}

}  // namespace

BootstrapInterval hierarchical_bootstrap(const Hierarchy& values, const RandomIndex& random,
                                         const BootstrapOptions& options) {
  KE_CHECK(!values.empty() && options.repetitions >= 100);
  KE_CHECK(options.level > 0.0 && options.level < 1.0);
  const Reduce reduce = options.reduce_seeds ? options.reduce_seeds : Reduce(mean_of);
  const auto lifted = with_units_on_top(values);
  std::vector<double> units;
  for (const auto& devices : lifted) units.push_back(unit_value(devices, reduce));
  const auto observed = estimate_of(units);
  BootstrapInterval result{unit_value({units}, mean_of), -infinity, infinity,
                           static_cast<int>(units.size()), units};
  if (units.size() < 2) return result;
  std::vector<double> pivots;
  for (int i = 0; i < options.repetitions; ++i)
    pivots.push_back(pivot(resample(lifted, random, reduce), observed, options.method));
  const auto degrees = static_cast<double>(units.size() - 1);
  result.p = p_of_zero(pivots, observed, degrees, options.method);
  std::ranges::sort(pivots);
  const double tail = (1.0 - options.level) / 2.0;
  const double low = quantile_of(pivots, tail), high = quantile_of(pivots, 1.0 - tail);
  if (options.method == BootstrapMethod::percentile) {
    result.low = low;
    result.high = high;
    return result;
  }
  const double t = students_t_quantile(1.0 - tail, degrees);
  const auto bound = [&](double quantile) {
    return observed.error == 0.0 ? observed.mean : observed.mean - quantile * observed.error;
  };
  result.low = bound(std::max(high, t));
  result.high = bound(std::min(low, -t));
  return result;
}

}  // namespace ke::statistics
