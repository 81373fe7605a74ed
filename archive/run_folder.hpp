#pragma once
// The run files below a folder.

#include <string>
#include <vector>

#include "archive/run_reader.hpp"

namespace ke {

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

/// The same with what each of them is.
Result<std::vector<RunEntry>> list_runs(const std::string& path);

}  // namespace ke
