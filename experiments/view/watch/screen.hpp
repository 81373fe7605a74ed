#pragma once
// Shows the current state of runs on a terminal.

#include <string>
#include <vector>

#include "core/result.hpp"

namespace ke {

/// One line per run; for a running one, its best kernels so far below it.
Result<std::string> screen_text(const std::vector<std::string>& runs);

}  // namespace ke
