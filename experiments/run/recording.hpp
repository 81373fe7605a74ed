#pragma once
// A run file as an evaluator, and the proof of a run by its own facts.

#include <memory>
#include <string>
#include <vector>

#include "archive/run_reader.hpp"
#include "fitness/replay/replay_evaluator.hpp"

namespace ke {

/// What the run recorded, for a replay evaluator. Error when no session of it ever started.
Result<Recording> recording_of(std::shared_ptr<const RunReader> reader);

struct ReplayReport {
  Digest history_hash;  ///< of the replay
  std::int64_t steps = 0;
  std::vector<std::string> problems;
  bool ok() const { return problems.empty(); }
};

/// Runs the search of a run file again from its recorded facts and compares every step's hash with
/// the stored one. A run that has not ended is replayed up to its last step. `tasks` as for
/// `resume`. Errors: a miss (Failure::replay_miss), a task whose content is another one now.
Result<ReplayReport> replay_run(const std::string& file, const std::string& tasks);

}  // namespace ke
