#pragma once
// Curves of a report: the state of a run over its costs.

#include "archive/run_rows.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// Points of RunReader::progress() with the costs so far: {step_index, proposals, evaluations,
/// seconds, device_seconds, tokens, dollars, best, filled, qd_score}. Long runs are thinned to
/// every point at which the best changed and about 1,000 others. `tokens` and `dollars` are null
/// without exchanges, `device_seconds` if the device cost nothing.
Result<Json> progress_columns(const RunReader& reader, const RunRows& rows);

}  // namespace ke
