#pragma once
// Runs as `status` and `show` present them.

#include <string>
#include <vector>

#include "experiments/cli/verb.hpp"

namespace ke {

/// Prints `{"runs": [...]}` or tables for RUN arguments.
Result<void> print_runs(const std::vector<std::string>& arguments, bool json, Console& console);

}  // namespace ke
