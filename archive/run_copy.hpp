#pragma once
// A copy of a run file while it is written.

#include <string>

#include "core/result.hpp"

namespace ke {

/// Copies the run as its last commit left it. The writer goes on meanwhile. `to` must not exist.
Result<void> copy_open_run(const std::string& from, const std::string& to);

}  // namespace ke
