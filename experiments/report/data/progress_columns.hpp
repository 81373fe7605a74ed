#pragma once
// The state of a run over what it spent: the curves of a report.

#include "archive/run_rows.hpp"
#include "experiments/cli/json.hpp"

namespace ke {

/// Points of RunReader::progress() with what was spent by then: {step_index, proposals,
/// evaluations, seconds, device_seconds, tokens, dollars, best, filled, qd_score}. Long runs are
/// thinned: every point at which the best changed stays, and about 1,000 others. `tokens` and
/// `dollars` are null without exchanges, `device_seconds` where the device cost nothing.
Result<Json> progress_columns(const RunReader& reader, const RunRows& rows);

}  // namespace ke
