#pragma once
// One result of a recording in the T4 format.

#include "core/evaluation.hpp"
#include "experiments/cli/json.hpp"

namespace ke {

/// Geometric mean over the workloads of the opponent's time of one call, in ms.
double opponent_ms(const Comparison& comparison);

/// A T4 result with `verdict`, `reason` and `build` beside T4's keys. `built` gives measures and
/// compile time, `fact` the verdict and, when it is ok, the times. [reference_ms / speedup]
Json recording_line(Json configuration, const Fact& built, const Fact& fact, double reference_ms);

}  // namespace ke
