#pragma once
// How diverse the common archive was over time.

#include "archive/run_rows.hpp"
#include "experiments/cli/json.hpp"

namespace ke {

/// At about 60 steps: {step_index, entropy, spread, binaries}. entropy: of visits to cells, in
/// [0, 1] (cell_entropy); spread: mean distance of the elites' cells, axes scaled to [0, 1]
/// (descriptor_spread; null above 1,000 elites); binaries: different builds among the elites.
/// Null without axes or elites.
Json diversity_columns(const RunRows& rows, const std::vector<AxisShape>& axes);

}  // namespace ke
