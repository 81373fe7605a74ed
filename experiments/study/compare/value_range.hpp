#pragma once
// Values that an endpoint can have at all. Private to compare.

#include <limits>
#include <span>

#include "experiments/study/compare/comparison.hpp"

namespace ke {

/// The range of the endpoint: [0, 1] of shares, from 0 on of speedups, up to the budget of
/// evaluations to a target; everything where one of the observations lies outside.
ValueRange known_range(const Analysis& analysis, const ValueRange& objective,
                       std::span<const Observation> observations);

/// Cuts the intervals of arms to what the endpoint can be, and those of contrasts to what two such
/// values can differ by.
void cut_to_range(const ValueRange& range, ArmComparison& comparison);

}  // namespace ke
