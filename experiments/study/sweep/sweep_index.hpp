#pragma once
// Index of a sweep's folder: the plan and the failed runs. The run files themselves record what was
// done.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "experiments/study/sweep/sweep.hpp"

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
  std::string task_folder;  ///< "" for functions
};

/// Content of the index file.
struct SweepIndex {
  std::string name;
  std::string plan_hash;      ///< Sweep::plan_hash, fixed before the first run
  std::string analysis;       ///< canonical text
  std::string analysis_hash;  ///< SHA-256 of `analysis`
  std::string currency;
  std::vector<std::string> arms;
  std::map<std::string, std::string> labels;  ///< of arms that have one, for figures and tables
  std::vector<IndexedRun> runs;
  std::size_t shards = 0;  ///< into which tasks of a cluster share the runs out; 0 = not
  std::map<std::string, SweepFailure> failures;  ///< by file

  /// True if the analysis matches the hash taken before the first run.
  bool analysis_is_untouched() const { return sha256(analysis).hex() == analysis_hash; }
};

/// Initial index of a sweep.
SweepIndex index_of(const Sweep& sweep);

/// Writes `<folder>/sweep.json`, atomically.
Result<void> write_sweep_index(const std::string& folder, const SweepIndex& index);

/// Nothing when the folder has none; an error when it cannot be read. With all noted failures.
Result<std::optional<SweepIndex>> read_sweep_index(const std::string& folder);

/// Writes a failure beside the index, for folders that several processes work on.
Result<void> note_failure(const std::string& folder, const std::string& run,
                          const SweepFailure& failure);

/// Removes what note_failure() wrote of the run.
void forget_failure(const std::string& folder, const std::string& run);

}  // namespace ke
