#pragma once
// Executes several runs in sequence; shared by `run` and `resume`.

#include <map>
#include <vector>

#include "experiments/run/run_one.hpp"

namespace ke {

/// Combined end of several runs.
struct RunsEnd {
  /// The code of an interruption, else 8 if any run waits for answers, else that of the last run
  /// that did not end as planned, else 0.
  int code = 0;
  std::map<std::string, OpenLetters> letters = {};  ///< unanswered letters, by run file
};

/// Executes all runs; stops at the first error or interruption. A run that waits for answers does
/// not block the next ones.
Result<RunsEnd> run_all(const std::vector<RunRequest>& requests, Console& console);

}  // namespace ke
