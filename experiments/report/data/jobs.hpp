#pragma once
// What the device did, what it cost, and how finely it could tell kernels apart.

#include "archive/run_rows.hpp"
#include "experiments/cli/json.hpp"

namespace ke {

/// Jobs in order of arrival as columns: {session, purpose, verdict, arrived_ms, compile_ms,
/// lane_ms}. Null where no job cost anything, or above 20,000 jobs.
Json job_columns(const RunRows& rows);

/// [{purpose, jobs, compile_s, lane_s, judge_cpu_s}], as the view v_cost has it over all sessions.
Json cost_rows(const RunRows& rows);

/// [{purpose, measurements, resolvable: [quartiles], values}]: the smallest relative gain that each
/// measurement could have told apart. Null where nothing is noisy.
Json noise_rows(const RunRows& rows);

/// [{name, exchanges, ok, input_tokens, output_tokens, dollars}] by model.
Json model_rows(const RunRows& rows);

}  // namespace ke
