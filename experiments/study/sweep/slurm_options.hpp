#pragma once
// Options that a sweep passes to Slurm for each of its tasks, and the batch script of these tasks.

#include <cstdint>
#include <string>
#include <vector>

#include "core/params.hpp"

namespace ke {

struct SlurmOptions {
  std::string partition = {};  ///< "", here and below: the site's default
  std::string account = {};
  std::string constraint = {};
  std::string gres = {};
  std::int64_t time_ms = 0;  ///< 0: the site's default
  std::int64_t grace_ms = 0;
  std::int64_t save_ms = 0;
  std::int64_t cpus = 1;
  std::int64_t memory_mib = 0;  ///< 0: the site's default
  std::int64_t at_once = 0;     ///< array tasks at a time; 0: no limit
  std::int64_t runs_per_task = 1;
  std::string scratch = {};
};

/// Reads the section `slurm` of a sweep. It is not part of the plan's hash: the same runs on other
/// machines are the same plan.
SlurmOptions read_slurm(Params& top);

/// The program of an array task, and where it runs.
struct SlurmTask {
  std::string program;  ///< full path, as nodes see it
  std::string sweep;    ///< full path of the sweep's file
  std::vector<std::string> overrides;
  std::string beside;  ///< folder in which the sweep was submitted
  std::string folder;  ///< full path of the sweep's folder, which nodes share
  std::string plan;    ///< plan hash that the sweep must still have
  std::size_t shards = 1;
  std::string name;
  std::string comment;  ///< Slurm's comment, by which queued tasks are recognised
};

/// Text of the script: array task I with first argument A runs shard A + I.
std::string batch_script(const SlurmTask& task, const SlurmOptions& options);

}  // namespace ke
