#pragma once
// The batch script of a sweep's tasks.

#include <string>
#include <vector>

#include "experiments/study/sweep/slurm_options.hpp"

namespace ke {

/// The program of a task, and where it runs.
struct SlurmTask {
  std::string program;  ///< full path, as nodes see it
  std::string sweep;    ///< file, full path
  std::vector<std::string> overrides;
  std::string beside;  ///< folder in which it was submitted
  std::string folder;  ///< full path of the sweep's folder, which nodes share
  std::string plan;    ///< hash that the sweep must still have
  std::size_t shards = 1;
  std::string name;
  std::string comment;  ///< by which queued tasks are recognised
};

/// Task I of an array with first argument A runs shard A + I.
std::string batch_script(const SlurmTask& task, const SlurmOptions& options);

}  // namespace ke
