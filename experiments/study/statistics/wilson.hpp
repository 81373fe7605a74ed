#pragma once
// Confidence interval of a proportion.

#include <cstdint>

#include "core/evaluation.hpp"

namespace ke::statistics {

/// Wilson score interval of a proportion, at 95 % [Wilson1927]. [0, 1] without trials.
Interval wilson_interval(std::int64_t successes, std::int64_t trials);

}  // namespace ke::statistics
