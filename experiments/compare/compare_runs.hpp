#pragma once
// From runs to their comparison, as the sweep declared it.

#include <string>
#include <vector>

#include "experiments/compare/load.hpp"
#include "experiments/compare/report.hpp"

namespace ke {

/// Compares the runs by the analysis that their sweep declared, changed by `key=value` overrides;
/// runs without a value join `runs.missing`. Error when arms cannot be compared, and why.
Result<ComparisonReport> compare_runs(ComparedRuns& runs, const std::vector<std::string>& overrides,
                                      bool carry_forward);

}  // namespace ke
