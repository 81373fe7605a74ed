#pragma once
// Jobs and costs of the device, and the resolution of its measurements.

#include "archive/run_rows.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// Jobs in order of arrival as columns: {session, purpose, verdict, arrived_ms, compile_ms,
/// lane_ms}. Null if no job cost anything, or above 20,000 jobs.
Json job_columns(const RunRows& rows);

/// [{purpose, jobs, compile_s, lane_s, judge_cpu_s}] over all sessions, from the view v_cost.
Json cost_rows(const RunRows& rows);

/// [{purpose, measurements, resolvable: [quartiles], values}]: the smallest relative gain that each
/// measurement can resolve. Null if nothing is noisy.
Json noise_rows(const RunRows& rows);

/// [{name, exchanges, ok, input_tokens, output_tokens, dollars}] by model.
Json model_rows(const RunRows& rows);

}  // namespace ke
