#pragma once
// Uses a run file as an evaluator, and verifies a run by replaying its facts.

#include <memory>
#include <string>
#include <vector>

#include "archive/run_reader.hpp"
#include "fitness/replay/replay_evaluator.hpp"

namespace ke {

/// Reads a run's record for a replay evaluator. Error if no session of the run ever started.
Result<Recording> recording_of(std::shared_ptr<const RunReader> reader);

struct ReplayReport {
  Digest history_hash;  ///< hash of the replay
  std::int64_t steps = 0;
  std::vector<std::string> problems;
  bool ok() const { return problems.empty(); }
};

/// Repeats the search of a run file from its recorded facts and compares every step's hash with the
/// stored one. Replays an unfinished run up to its last step. `tasks` as for `resume`. Errors: a
/// miss (Failure::replay_miss), or a task whose content changed.
Result<ReplayReport> replay_run(const std::string& file, const std::string& tasks);

}  // namespace ke
