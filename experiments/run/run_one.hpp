#pragma once
// Executes one run from its first or next step to its stop.

#include <optional>
#include <string>

#include "core/llm_client.hpp"
#include "experiments/run/config/experiment.hpp"
#include "experiments/run/console.hpp"
#include "experiments/run/evaluators/evaluator_kind.hpp"
#include "experiments/run/stop_tokens.hpp"

namespace ke {

struct RunRequest {
  const Experiment& experiment;
  const Subject& subject;
  std::int64_t seed = 0;
  std::string file;
  bool quiet = false;          ///< show no progress
  bool until_waiting = false;  ///< end when only answers from outside can continue the run
};

/// Result of a run, or of this session of it.
struct RunEnd {
  /// 0 planned end, 3 safety limit, 8 waits for answers, 9 planned end at which nothing had been
  /// judged, 130 or 143 interrupted
  int code = 0;
  std::optional<OpenLetters> letters = {};  ///< letters that the run waits for
  std::string note = {};                    ///< further note for people; "" = none
  bool no_answer = false;                   ///< it asked a language model, and no answer was of use
};

/// Creates the run file with its header, so that `resume` also finds runs that never started.
Result<void> create_run(const RunRequest& request);

/// Searches until the run ends; records the session and the stop.
Result<RunEnd> run_one(const RunRequest& request, const StopSignals& signals, Console& console);

}  // namespace ke
