#pragma once
// How sure a share is.

#include <cstdint>

#include "core/evaluation.hpp"

namespace ke::statistics {

/// Score interval of a share of successes, at 95 % [Wilson1927]. [0, 1] without trials.
Interval wilson_interval(std::int64_t successes, std::int64_t trials);

}  // namespace ke::statistics
