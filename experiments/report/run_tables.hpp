#pragma once
// Prints runs as tables.

#include <string>
#include <vector>

#include "experiments/report/run_summary.hpp"

namespace ke {

/// One line per run: state, counters, best figures.
std::string status_table(const std::vector<RunSummary>& runs);

/// Verified speedups of all champions: one line per run and baseline.
std::string results_table(const std::vector<RunSummary>& runs);

/// One run with its champion, counters and failures.
std::string run_text(const RunSummary& run);

/// "6.31x [6.25, 6.38]", or the note if there is no figure.
std::string figure_text(const SpeedupFigure& figure);

/// Knobs and flags of a kernel, on one line.
std::string genome_text(const Kernel& kernel);

}  // namespace ke
