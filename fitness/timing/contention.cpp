#include "fitness/timing/contention.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/result.hpp"
#include "fitness/timing/robust.hpp"

namespace ke {
namespace {

std::vector<double> as_doubles(std::span<const std::int64_t> values) {
  return {values.begin(), values.end()};
}

double share(std::ptrdiff_t count, std::size_t total) {
  return static_cast<double>(count) / static_cast<double>(total);
}

}  // namespace

double clock_disagreement(std::span<const ClockSample> samples, double tolerance,
                          std::int64_t slack_ns, int threads) {
  KE_CHECK(tolerance >= 0.0 && slack_ns >= 0 && threads >= 1);
  if (samples.empty()) return 0.0;
  const auto differs = [&](const ClockSample& sample) {
    const auto wall = static_cast<double>(sample.wall_ns);
    const double gap = std::abs(wall - static_cast<double>(sample.cpu_ns) / threads);
    return gap > tolerance * wall && gap > static_cast<double>(slack_ns);
  };
  return share(std::ranges::count_if(samples, differs), samples.size());
}

double outlier_share(std::span<const std::int64_t> samples_ns, double widths) {
  KE_CHECK(widths > 0.0);
  if (samples_ns.size() < 4) return 0.0;
  const auto values = as_doubles(samples_ns);
  const double spread = mad_spread(values);
  if (spread == 0.0) return 0.0;
  const double limit = median_of(values) + widths * spread;
  return share(std::ranges::count_if(values, [&](double v) { return v > limit; }), values.size());
}

double relative_drift(std::span<const std::int64_t> samples_ns) {
  if (samples_ns.size() < 2) return 0.0;
  const auto values = as_doubles(samples_ns);
  std::vector<double> slopes;
  slopes.reserve(values.size() * (values.size() - 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = i + 1; j < values.size(); ++j)
      slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
  const double centre = median_of(values);
  if (centre <= 0.0) return 0.0;
  return median_of(slopes) * static_cast<double>(values.size() - 1) / centre;
}

std::string_view name_of(Contention contention) {
  switch (contention) {
    case Contention::none: return "none";
    case Contention::clocks_disagree: return "clocks_disagree";
    case Contention::outliers: return "outliers";
    case Contention::drift: return "drift";
  }
  KE_CHECK(false);
  return {};
}

Contention detect_contention(std::span<const ClockSample> samples, const ContentionLimits& limits,
                             int threads) {
  if (clock_disagreement(samples, 0.05, 20'000, threads) > limits.clock_disagreement)
    return Contention::clocks_disagree;
  std::vector<std::int64_t> walls;
  for (const auto& sample : samples) walls.push_back(sample.wall_ns);
  if (outlier_share(walls) > limits.outlier_share) return Contention::outliers;
  if (std::abs(relative_drift(walls)) > limits.drift) return Contention::drift;
  return Contention::none;
}

}  // namespace ke
