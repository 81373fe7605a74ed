#pragma once
// One result of a recording in the T4 format.

#include "core/evaluation.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// Geometric mean over the workloads of the opponent's time per call, in ms.
double opponent_ms(const Comparison& comparison);

/// Builds a T4 result with the added keys `verdict`, `reason` and `build`. `built` provides
/// measures and compile time, `fact` the verdict and, if ok, the times. [reference_ms / speedup]
Json recording_line(Json configuration, const Fact& built, const Fact& fact, double reference_ms);

}  // namespace ke
