#pragma once
// Compares runs by the analysis that their sweep declared.

#include <string>
#include <vector>

#include "experiments/study/compare/load.hpp"
#include "experiments/study/compare/report.hpp"

namespace ke {

/// Compares the runs by the analysis of their sweep, changed by `key=value` overrides. Runs without
/// a value join `runs.missing`. The error says why arms cannot be compared.
Result<ComparisonReport> compare_runs(ComparedRuns& runs, const std::vector<std::string>& overrides,
                                      bool carry_forward);

}  // namespace ke
