#pragma once
// Runs on a terminal, as they are now.

#include <string>
#include <vector>

#include "core/result.hpp"

namespace ke {

/// One line a run, and below it of each run that goes on its best kernels so far.
Result<std::string> screen_text(const std::vector<std::string>& runs);

}  // namespace ke
