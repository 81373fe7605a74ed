#pragma once
// Folders in which shards of one sweep were run, put together.

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "experiments/compare/made_by.hpp"

namespace ke {

struct MergedSweep {
  std::string name;
  std::int64_t planned = 0;
  std::int64_t present = 0;  ///< runs with a file
  std::int64_t failed = 0;
  std::vector<Maker> made_by = {};
};

/// Copies the runs of `folders` into `folder`, each whole or not at all, and their failures into
/// its index. Runs that are done there stay, so that it can be called again with further shards or
/// with shards that went on.
/// Errors: a folder without an index or of another sweep; a run that two folders hold; one that
/// is still being written.
Result<MergedSweep> merge_shards(const std::vector<std::string>& folders,
                                 const std::string& folder);

}  // namespace ke
