#pragma once
// Prints runs for `status`, `show` and the end of `run`.

#include <map>
#include <string>
#include <vector>

#include "core/llm_client.hpp"
#include "experiments/run/console.hpp"
#include "experiments/study/summary/made_by.hpp"
#include "experiments/study/summary/run_summary.hpp"

namespace ke {

struct RunSummaries {
  std::vector<RunSummary> runs;
  /// Reasons for skipping files in the same folders: a process died while it created them.
  std::vector<std::string> left_out;
  /// Why other files are no runs that this program reads.
  std::vector<std::string> unreadable;
  RunsByProgram programs;
};

/// An error with all reasons why files could not be read.
Result<void> all_read(const std::vector<std::string>& unreadable);

/// Summaries of all runs that RUN arguments mean; an error when none can be read.
Result<RunSummaries> summarise_all(const std::vector<std::string>& arguments,
                                   SummaryDepth depth = SummaryDepth::whole);

/// Unanswered letters by run file.
using LettersOfRuns = std::map<std::string, OpenLetters>;

/// Prints each run, then the table of verified speedups; or `{"runs": [...]}`, where a waiting run
/// has `waits`: `letters` and their `folder`. The error names the files that could not be read,
/// once all others are printed.
Result<void> print_results(const std::vector<std::string>& arguments, bool json, Console& console,
                           const LettersOfRuns& letters = {});

/// Prints the commands that export and deploy the champions of a folder's runs.
Result<void> print_next_steps(const std::string& folder, Console& console);

/// Prints one line per run; or `{"runs": [...]}`. Errors as above.
Result<void> print_status(const std::vector<std::string>& arguments, bool json, Console& console);

}  // namespace ke
