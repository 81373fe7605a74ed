#pragma once
// Several runs, one after the other: what `run` and `resume` have in common.

#include <vector>

#include "experiments/run/run_one.hpp"

namespace ke {

/// Runs all; stops at the first error or interruption. The exit code: that of an interruption, else
/// 3 when any run met a safety limit, else 0.
Result<int> run_all(const std::vector<RunRequest>& requests, Console& console);

}  // namespace ke
