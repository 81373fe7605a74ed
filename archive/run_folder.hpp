#pragma once
// The run files below a folder, and a copy of one while it is written.

#include <string>
#include <vector>

#include "archive/run_reader.hpp"
#include "core/result.hpp"

namespace ke {

/// Copies the run as its last commit left it. The writer goes on meanwhile. `to` must not exist.
Result<void> copy_open_run(const std::string& from, const std::string& to);

/// One line of the index. An unreadable file is listed with the reason.
struct RunEntry {
  std::string path;
  std::string run_id;
  std::string task;
  Digest config_id;
  RunState state = RunState::interrupted;
  std::string error;  ///< "" = readable
};

/// Paths of run files (*.kev) at or below `path`, sorted; a run file itself gives one. Opens none.
Result<std::vector<std::string>> list_run_files(const std::string& path);

/// Opens each run file at or below `path` and reads its run, task and state; sorted by path.
Result<std::vector<RunEntry>> list_runs(const std::string& path);

}  // namespace ke
