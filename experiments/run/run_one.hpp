#pragma once
// One run from its file's first or next step to its stop.

#include <string>

#include "experiments/cli/verb.hpp"
#include "experiments/evaluators/evaluator_kind.hpp"
#include "experiments/experiment.hpp"
#include "experiments/run/stop_tokens.hpp"

namespace ke {

struct RunRequest {
  const Experiment& experiment;
  const Subject& subject;
  std::int64_t seed = 0;
  std::string file;
  bool quiet = false;  ///< no progress
};

/// Creates the run file with its header, so that `resume` knows of runs that never started.
Result<void> create_run(const RunRequest& request);

/// Searches until the run ends, and records session and stop. The exit code: 0 planned end,
/// 3 safety limit, 130 or 143 interrupted.
Result<int> run_one(const RunRequest& request, const StopSignals& signals, Console& console);

}  // namespace ke
