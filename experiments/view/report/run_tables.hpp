#pragma once
// Prints runs as tables.

#include <string>
#include <vector>

#include "experiments/study/summary/run_summary.hpp"

namespace ke {

/// One line per run: state, counters, best figures.
std::string status_table(const std::vector<RunSummary>& runs);

/// Verified speedups of all champions: one line per run and baseline.
std::string results_table(const std::vector<RunSummary>& runs);

/// One run with its champion, counters and failures.
std::string run_text(const RunSummary& run);

}  // namespace ke
