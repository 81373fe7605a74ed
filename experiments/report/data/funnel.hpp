#pragma once
// Where candidates are lost on their way from proposal to elite.

#include "archive/run_rows.hpp"
#include "experiments/cli/json.hpp"

namespace ke {

/// {"stages": [{name, left, lost}], "reasons": [{verdict, reason, stage, count, example}]}.
/// `left` counts the candidates that passed the stage, `lost` those that it stopped. `example` is
/// the position of the first candidate with that end.
Json funnel_json(const RunRows& rows);

}  // namespace ke
