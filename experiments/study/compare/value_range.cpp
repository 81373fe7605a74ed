#include "experiments/study/compare/value_range.hpp"

#include <algorithm>
#include <cmath>

namespace ke {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

ValueRange range_of(const Analysis& analysis, const ValueRange& objective,
                    std::span<const Observation> observations) {
  switch (analysis.endpoint) {
    case Endpoint::coverage: return {0, 1};
    case Endpoint::best_verified_speedup: return {0, infinity};
    case Endpoint::best_seen:
    case Endpoint::auc: return objective;
    case Endpoint::qd_score: return {objective.low >= 0 ? 0 : -infinity, infinity};
    case Endpoint::evaluations_to_target: break;
  }
  // A censored run stands for its limit; without one the limit is not known.
  double limit = infinity;
  for (const Observation& o : observations) {
    if (o.censored) limit = std::isinf(limit) ? o.value : std::max(limit, o.value);
  }
  return {1, limit};
}

/// The range of `a - b` on the linear scale, `a / b` on the log scale.
ValueRange range_of_effects(const Analysis& analysis, const ValueRange& values) {
  if (!analysis.log_scale) return {values.low - values.high, values.high - values.low};
  if (values.low <= 0 || std::isinf(values.high)) return {0, infinity};
  return {values.low / values.high, values.high / values.low};
}

void cut(const ValueRange& range, Figure& figure) {
  if (std::isinf(figure.low) && std::isinf(figure.high)) return;  // nothing is known of it
  figure.low = std::max(figure.low, range.low);
  figure.high = std::min(figure.high, range.high);
}

}  // namespace

ValueRange known_range(const Analysis& analysis, const ValueRange& objective,
                       std::span<const Observation> observations) {
  const ValueRange range = range_of(analysis, objective, observations);
  const bool holds = std::ranges::all_of(observations, [&](const Observation& o) {
    return o.value >= range.low && o.value <= range.high;
  });
  return holds ? range : ValueRange{};
}

void cut_to_range(const ValueRange& range, ArmComparison& comparison) {
  for (ArmFigures& arm : comparison.arms) cut(range, arm.mean);
  const ValueRange effects = range_of_effects(comparison.analysis, range);
  for (Contrast& contrast : comparison.contrasts) cut(effects, contrast.effect);
}

}  // namespace ke
