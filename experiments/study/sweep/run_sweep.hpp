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
  std::int64_t safety = 0;  ///< finished runs that a safety limit ended
  /// a scheduler's time limit ended it, and some run on scratch made progress
  bool cut_short = false;
};

/// Selects every `count`-th chain of runs, starting with the `index`-th, counted from 1.
struct Shard {
  std::size_t index = 1;
  std::size_t count = 1;
};

/// A shard as the command line writes it: "3/8".
std::string text_of(const Shard& shard);

struct SweepOptions {
  std::string folder;
  std::size_t jobs = 1;  ///< runs at a time; 1 where kernels are timed
  bool quiet = false;    ///< print no progress
  Shard shard = {};      ///< the shard to run
  /// Folder on a local disk, below which runs are written before they are moved; "" = in `folder`.
  std::string scratch = {};
  std::chrono::seconds save_every{600};  ///< how often open runs on scratch are copied to `folder`
  std::string job = {};                  ///< a scheduler's name for this process, a hint for people
};

/// True if all arms use simulated evaluators, so that several runs may execute in parallel.
bool is_simulated(const Sweep& sweep);

/// Stop reason of a finished run; nothing if it is unfinished or missing.
std::optional<std::string> stop_of(const std::string& file);

/// The folder's index; a new one if the folder has none. Error if it is another sweep's.
Result<SweepIndex> open_index(const Sweep& sweep, const std::string& folder);

/// Writes the sweep's index, and the folder's index of runs, which `resume` reads.
Result<void> write_indices(const std::string& folder, const SweepIndex& index);

/// The chains of runs of one shard.
std::vector<std::vector<SweepRun>> chains_of_shard(const Sweep& sweep, const Shard& shard);

/// Executes all runs that are not finished; killed runs continue where they stopped. A run that
/// fails is recorded in the index and the others go on; a device that fails ends the sweep. Returns
/// the exit code: that of an interruption, else of the first failure in the order of the matrix,
/// else 3 when a run met a safety limit, else 0.
Result<int> run_sweep(const Sweep& sweep, const SweepOptions& options, SweepState& state,
                      Console& console);

}  // namespace ke
