#pragma once
// Options that a sweep passes to Slurm for each of its tasks.

#include <cstdint>
#include <string>

#include "core/params.hpp"

namespace ke {

struct SlurmOptions {
  std::string partition = {};  ///< "" here and below: as the site says
  std::string account = {};
  std::string constraint = {};
  std::string gres = {};
  std::int64_t time_ms = 0;  ///< 0: as the site says
  std::int64_t grace_ms = 0;
  std::int64_t save_ms = 0;
  std::int64_t cpus = 1;
  std::int64_t memory_mib = 0;  ///< 0: as the site says
  std::int64_t at_once = 0;     ///< 0: as many as Slurm lets
  std::int64_t runs_per_task = 1;
  std::string scratch = {};
};

/// Reads the section `slurm` of a sweep. It is part of no plan hash: other machines, same runs.
SlurmOptions read_slurm(Params& top);

}  // namespace ke
