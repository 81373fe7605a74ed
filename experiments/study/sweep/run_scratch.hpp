#pragma once
// Runs are written on a local disk and moved whole to a folder that several hosts share: SQLite
// loses data on network file systems.

#include <memory>
#include <string>

#include "experiments/study/sweep/folder_lock.hpp"
#include "experiments/study/sweep/run_sweep.hpp"
#include "experiments/study/sweep/running_sign.hpp"

namespace ke {

class RunScratch {
 public:
  /// Makes a folder of its own below options.scratch, the same one for the same plan, shard and
  /// shared folder, and locks it. Fetches what was moved to the shared folder options.folder
  /// earlier; runs that a killed process left here alone stay.
  static Result<std::unique_ptr<RunScratch>> open(const Sweep& sweep, const SweepOptions& options);

  const std::string& folder() const { return folder_; }
  void begin(const std::string& run) { sign_.begin(run); }
  /// Moves a run that nobody writes any more to the shared folder, unless it has ended there.
  Result<void> end(const std::string& run);
  /// Once all is moved.
  void remove() const;

 private:
  RunScratch(std::string folder, const SweepOptions& options, FolderLock lock);
  Result<void> fetch(const std::string& run) const;

  std::string folder_;
  std::string shared_;
  FolderLock lock_;
  RunningSign sign_;
};

}  // namespace ke
