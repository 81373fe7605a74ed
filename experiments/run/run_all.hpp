#pragma once
// Several runs, one after the other: what `run` and `resume` have in common.

#include <map>
#include <vector>

#include "experiments/run/run_one.hpp"

namespace ke {

/// How several runs ended.
struct RunsEnd {
  /// That of an interruption, else 8 when any run waits for answers, else 3 when any met a safety
  /// limit, else 0.
  int code = 0;
  std::map<std::string, OpenLetters> letters = {};  ///< that runs wait for, by run file
};

/// The switch of `run` and `resume` that sets RunRequest::until_waiting.
VerbOption until_waiting_option();

/// Runs all; stops at the first error or interruption. A run that waits for answers does not keep
/// the next ones from going on.
Result<RunsEnd> run_all(const std::vector<RunRequest>& requests, Console& console);

}  // namespace ke
