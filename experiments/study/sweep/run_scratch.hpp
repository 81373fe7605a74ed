#pragma once
// Runs are written on a local disk and moved whole to a folder that several hosts share: SQLite
// loses data on network file systems.

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "experiments/study/sweep/folder_lock.hpp"
#include "experiments/study/sweep/run_sweep.hpp"
#include "experiments/study/sweep/running_sign.hpp"

namespace ke {

class RunScratch {
 public:
  /// Makes a folder of its own below options.scratch, the same one for the same plan, shard and
  /// shared folder, and locks it. Fetches what was moved to the shared folder options.folder
  /// earlier; of a run that a killed process left here, whichever has more steps stays.
  static Result<std::unique_ptr<RunScratch>> open(const Sweep& sweep, const SweepOptions& options);

  ~RunScratch();

  const std::string& folder() const { return folder_; }
  /// Copies the run to the shared folder every options.save_every from now on.
  void begin(const std::string& run);
  /// Moves a run that nobody writes any more to the shared folder, unless it has ended there.
  Result<void> end(const std::string& run);
  /// Whether a run that was moved is further than it was in the shared folder.
  bool advanced() const { return advanced_; }
  /// Once all is moved.
  void remove() const;

 private:
  RunScratch(std::string folder, const SweepOptions& options, FolderLock lock);
  Result<void> fetch(const std::string& run);
  void save_all() const;

  std::string folder_;
  std::string shared_;
  FolderLock lock_;
  RunningSign sign_;
  std::map<std::string, std::int64_t> fetched_;  ///< steps of runs that the shared folder had
  std::mutex mutex_;                             ///< of the two below; held while runs are copied
  std::set<std::string> open_;
  bool advanced_ = false;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

}  // namespace ke
