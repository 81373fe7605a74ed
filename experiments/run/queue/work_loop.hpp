#pragma once
// The worker's side: measures for searches whose coordinators are elsewhere.

#include <string>
#include <vector>

#include "experiments/run/console.hpp"
#include "experiments/run/stop_tokens.hpp"

namespace ke {

struct WorkOptions {
  std::string url;
  std::string kind;                    ///< of evaluator that it serves; "" = any
  std::vector<std::string> overrides;  ///< of what belongs to the machine, such as device.lanes
  std::int64_t idle_s = 0;             ///< end after this time without work; 0 = never
};

struct WorkEnd {
  int code = 0;
  std::int64_t answered = 0;  ///< jobs, of all runs
};

/// Serves one run after the other until it is told to stop. Runs that it cannot
/// serve are named on `console.err` and left to others.
Result<WorkEnd> serve_runs(const WorkOptions& options, const StopSignals& signals,
                           Console& console);

}  // namespace ke
