#pragma once
// Runs as tables for people.

#include <string>
#include <vector>

#include "experiments/report/run_summary.hpp"

namespace ke {

/// One line a run: state, counters, best figures.
std::string status_table(const std::vector<RunSummary>& runs);

/// Verified speedups of all champions: one line for each run and baseline.
std::string results_table(const std::vector<RunSummary>& runs);

/// One run with its champion, counters and failures.
std::string run_text(const RunSummary& run);

/// "6.31x [6.25, 6.38]", or the note when there is no figure.
std::string figure_text(const SpeedupFigure& figure);

/// Knobs and flags of a kernel on one line.
std::string genome_text(const Kernel& kernel);

}  // namespace ke
