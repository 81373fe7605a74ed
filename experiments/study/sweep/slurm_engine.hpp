#pragma once
// Carries out a sweep as job arrays of Slurm, one array task per shard.

#include <string>
#include <vector>

#include "core/result.hpp"
#include "experiments/run/console.hpp"
#include "experiments/study/sweep/sweep.hpp"

namespace ke {

struct Submission {
  std::size_t planned = 0;  ///< runs of the sweep
  std::size_t finished = 0;
  /// number of shards that the runs are divided into; an array task carries out one
  std::size_t shards = 0;
  std::size_t in_queue = 0;   ///< shards that are queued or running since an earlier submission
  std::size_t submitted = 0;  ///< shards that this call submitted
  std::vector<std::string> jobs = {};
};

/// Writes the manifest `sweep.json` and the batch script into `folder`, which all nodes share, and
/// submits the shards that hold a run which is not finished, but for those that are queued or run
/// already. The division into shards is fixed by the first submission.
Result<Submission> submit_to_slurm(const Sweep& sweep, const std::vector<std::string>& overrides,
                                   const std::string& folder, Console& console);

}  // namespace ke
