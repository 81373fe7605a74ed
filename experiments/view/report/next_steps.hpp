#pragma once
// Suggests commands for finished runs.

#include <string>
#include <vector>

#include "experiments/study/summary/run_summary.hpp"

namespace ke {

/// Next commands, with the paths of these runs; "" if no run has a champion. `folder`: the argument
/// of `run` or `resume`.
Result<std::string> next_steps(const std::vector<RunSummary>& runs, const std::string& folder);

}  // namespace ke
