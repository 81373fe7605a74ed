#pragma once
// Selects representative runs for figures that show single runs.

#include <vector>

#include "experiments/study/compare/load.hpp"

namespace ke {

/// For each arm and task, the run with the lower median of the best objectives (the earlier run
/// wins ties). Sorted by task, then by the order of the arms.
Result<std::vector<const ComparedRun*>> median_runs(const ComparedRuns& runs);

/// For each task, the run with the highest objective; the earlier run wins ties.
Result<std::vector<const ComparedRun*>> best_runs(const ComparedRuns& runs);

}  // namespace ke
