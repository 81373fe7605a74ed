#pragma once
// The few runs that stand for many, where a figure shows single runs.

#include <vector>

#include "experiments/compare/load.hpp"

namespace ke {

/// Of each arm on each task, the run with the lower median of the best objectives (ties to the
/// earlier run); by task, then in the order of the arms.
Result<std::vector<const ComparedRun*>> median_runs(const ComparedRuns& runs);

/// Of each task, the run with the highest objective, ties to the earlier run.
Result<std::vector<const ComparedRun*>> best_runs(const ComparedRuns& runs);

}  // namespace ke
