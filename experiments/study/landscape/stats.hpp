#pragma once
// Statistics of a landscape: size, failures, optimum, quantiles, share near the optimum, noise.
// Statistics of landscapes as a table and JSON.

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "experiments/text/json.hpp"
#include "fitness/landscape/landscape.hpp"

namespace ke {

struct LandscapeStats {
  std::string name;
  std::int64_t size = 0;
  std::map<std::string, std::int64_t> failures;  ///< by verdict
  double product = 0;                            ///< configurations without restrictions
  double optimum_ms = 0;
  std::string optimum;  ///< configuration of the optimum
  double second = 0;    ///< second best time over the best
  /// Time over optimum at 1, 5, 25, 50, 75, 95, 99 % of the working configurations, linearly
  /// interpolated.
  std::array<double, 7> quantiles{};
  /// Number of configurations with time <= optimum x 1.01, 1.05, 1.10.
  std::array<std::int64_t, 3> within{};
  std::int64_t repeats = 0;     ///< raw samples of the optimum
  double noise_of_optimum = 0;  ///< standard deviation over mean of its raw samples
  double noise_median = 0;      ///< the same, median over working configurations
  double noise_p95 = 0;         ///< the same, 95 % quantile
  /// Expected best of uniform random search at 25, 50, 100, 200, 400, 800 evaluations.
  std::array<double, 6> random{};

  std::int64_t failed() const;
  std::int64_t worked() const { return size - failed(); }
};

inline constexpr std::array<double, 7> stats_quantiles = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};
inline constexpr std::array<double, 3> stats_margins = {0.01, 0.05, 0.10};
inline constexpr std::array<std::int64_t, 6> stats_budgets = {25, 50, 100, 200, 400, 800};

LandscapeStats landscape_stats(const Landscape& landscape);

/// Writes "NAME=value, ..." for the parameters that vary.
std::string configuration_text(const Landscape& landscape, std::size_t point);

std::string stats_text(std::span<const LandscapeStats> list);
Json stats_json(std::span<const LandscapeStats> list);

}  // namespace ke
