#pragma once
// What to do with runs that ended.

#include <string>
#include <vector>

#include "experiments/report/run_summary.hpp"

namespace ke {

/// Commands for what comes next, with the paths of these runs; "" where no run has a champion.
/// `folder`: what was given to `run` or `resume`.
Result<std::string> next_steps(const std::vector<RunSummary>& runs, const std::string& folder);

}  // namespace ke
