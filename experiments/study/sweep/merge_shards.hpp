#pragma once
// Merges the folders of a sweep's shards.

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "experiments/study/summary/made_by.hpp"

namespace ke {

struct MergedSweep {
  std::string name;
  std::int64_t planned = 0;
  std::int64_t present = 0;  ///< runs that have a file
  std::int64_t failed = 0;
  std::vector<Maker> made_by = {};
};

/// Copies the runs of `folders` into `folder`, each completely or not at all, and their failures
/// into its index. Keeps finished runs, so that later calls can add further or continued shards.
/// Errors: a folder without an index or of another sweep; a run that two folders hold; a run that
/// is still being written.
Result<MergedSweep> merge_shards(const std::vector<std::string>& folders,
                                 const std::string& folder);

}  // namespace ke
