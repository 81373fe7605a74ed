#pragma once
// Carries a sweep out: executes all runs that its folder lacks, several in parallel.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "experiments/run/console.hpp"
#include "experiments/study/sweep/sweep.hpp"
#include "experiments/study/sweep/sweep_index.hpp"

namespace ke {

/// Progress of a sweep.
struct SweepState {
  std::int64_t done = 0;
  std::int64_t planned = 0;
  std::int64_t failed = 0;
  std::int64_t safety = 0;  ///< done, but ended by a safety limit
  bool cut_short = false;   ///< by a scheduler's time limit, and on scratch further than before
};

/// Selects every `count`-th chain of runs, starting with the `index`-th, counted from 1.
struct Shard {
  std::size_t index = 1;
  std::size_t count = 1;
};

/// "3/8".
std::string text_of(const Shard& shard);

struct SweepOptions {
  std::string folder;
  std::size_t jobs = 1;  ///< runs at a time; one where a lane is measured on
  bool quiet = false;    ///< no progress
  Shard shard = {};      ///< that is run; the others are left to other processes
  /// Folder on a local disk, below which runs are written before they are moved; "" = in `folder`.
  std::string scratch = {};
  std::chrono::seconds save_every{600};  ///< open runs on scratch are copied to `folder`
  std::string job = {};                  ///< a scheduler's name for this process, a hint for people
};

/// True if all arms use simulated evaluators, so that several runs may execute in parallel.
bool is_simulated(const Sweep& sweep);

/// Stop reason of a finished run; nothing if it is unfinished or missing.
std::optional<std::string> stop_of(const std::string& file);

/// The folder's index, if it is this sweep's; a fresh one in a folder without.
Result<SweepIndex> open_index(const Sweep& sweep, const std::string& folder);

/// Writes the sweep's index, and the one that `resume` reads, which knows no sweeps.
Result<void> write_indices(const std::string& folder, const SweepIndex& index);

/// The chains of runs of one shard.
std::vector<std::vector<SweepRun>> chains_of_shard(const Sweep& sweep, const Shard& shard);

/// Runs what is not done yet; killed runs go on where they stopped. A run that fails is recorded in
/// the index and the others go on; a device that fails ends the sweep. The exit code: that of an
/// interruption, else of the first failure in the order of the matrix, else 3 when a run met a
/// safety limit, else 0.
Result<int> run_sweep(const Sweep& sweep, const SweepOptions& options, SweepState& state,
                      Console& console);

}  // namespace ke
