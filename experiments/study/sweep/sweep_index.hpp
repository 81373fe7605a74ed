#pragma once
// Index of a sweep's folder: the plan and the failed runs. The run files themselves record what was
// done.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "experiments/study/sweep/sweep.hpp"
#include "experiments/text/json.hpp"

namespace ke {

inline constexpr std::string_view sweep_index_name = "sweep.json";

/// Failure of one run.
struct SweepFailure {
  int code = 0;  ///< exit code that the run alone would have had
  std::string message;
};

/// One planned run in the index.
struct IndexedRun {
  std::string file;  ///< name inside the folder
  std::string arm;
  std::string task;
  std::int64_t seed = 0;
  std::string task_folder;  ///< folder of its task; "" for functions
};

/// Content of the index file.
struct SweepIndex {
  std::string name;
  std::string plan_hash;      ///< Sweep::plan_hash, fixed before the first run
  std::string analysis;       ///< Analysis::canonical_text
  std::string analysis_hash;  ///< SHA-256 of `analysis`
  std::string currency;
  std::vector<std::string> arms;
  /// names of arms in figures and tables, where the sweep gives them
  std::map<std::string, std::string> labels;
  std::vector<IndexedRun> runs;
  std::size_t shards = 0;  ///< shards of a submission to Slurm; 0 = not submitted
  std::map<std::string, SweepFailure> failures;  ///< by name of the run file
};

/// Initial index of a sweep.
SweepIndex index_of(const Sweep& sweep);

/// [{file, code, message}].
Json failures_json(const SweepIndex& index);

/// Writes `<folder>/sweep.json`, atomically.
Result<void> write_sweep_index(const std::string& folder, const SweepIndex& index);

/// Reads `<folder>/sweep.json` with all noted failures; nothing if there is none. Error if it is
/// malformed.
Result<std::optional<SweepIndex>> read_sweep_index(const std::string& folder);

/// Arms in the order of the sweep, each with those of its run files that exist. `arguments`: a
/// sweep's folder, or run files and folders, where the first part of a file's name is its arm.
Result<std::vector<std::pair<std::string, std::vector<std::string>>>> runs_by_arm(
    const std::vector<std::string>& arguments);

/// Records a failed run in a file beside the index, for folders that several processes work on.
Result<void> note_failure(const std::string& folder, const std::string& run,
                          const SweepFailure& failure);

/// Removes the record that note_failure() wrote of the run.
void forget_failure(const std::string& folder, const std::string& run);

}  // namespace ke
