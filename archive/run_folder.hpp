#pragma once
// The run files below a folder, and a copy of one while it is written.

#include <string>
#include <vector>

#include "core/result.hpp"

namespace ke {

/// Copies the run as its last commit left it. The writer goes on meanwhile. `to` must not exist.
Result<void> copy_open_run(const std::string& from, const std::string& to);

/// Paths of run files (*.kev) at or below `path`, sorted; a run file itself gives one. Opens none.
Result<std::vector<std::string>> list_run_files(const std::string& path);

}  // namespace ke
