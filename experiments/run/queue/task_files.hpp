#pragma once
// Packs tasks into files for workers of other hosts, and unpacks them.

#include <string>
#include <vector>

#include "archive/shared_run.hpp"
#include "experiments/run/evaluators/evaluator_kind.hpp"

namespace ke {

struct PackedTask {
  std::string origin;  ///< the task's folder or file among `files`; "" = the kind needs none
  std::vector<TaskFile> files;
};

/// The files that a device's task was read from: its folder with the one that it extends and its
/// headers, or one file. Shipped headers are on every host. Error above 64 MiB.
Result<PackedTask> pack_task(const Subject& subject, std::size_t device);

/// Writes files below a folder. Error when a path leads out of it.
Result<void> unpack_files(const std::vector<TaskFile>& files, std::size_t device,
                          const std::string& folder);

}  // namespace ke
