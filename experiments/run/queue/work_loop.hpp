#pragma once
// The worker's side: measures for searches whose coordinators are elsewhere.

#include <string>
#include <vector>

#include "experiments/run/console.hpp"
#include "experiments/run/stop_tokens.hpp"

namespace ke {

struct WorkOptions {
  std::string url;
  std::string kind;                    ///< kind of evaluator that this worker serves; "" = any
  std::vector<std::string> overrides;  ///< options of this machine, such as device.lanes=2
  std::int64_t idle_s = 0;             ///< end after this time without work; 0 = never
};

struct WorkEnd {
  int code = 0;
  std::int64_t answered = 0;  ///< answered jobs of all runs
};

/// Serves one run after the other until a stop is requested. Names runs that it cannot serve on
/// `console.err` and leaves them to others.
Result<WorkEnd> serve_runs(const WorkOptions& options, const StopSignals& signals,
                           Console& console);

}  // namespace ke
