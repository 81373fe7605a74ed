#pragma once
// Notices when run files change, and reads them anew for whoever asks.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/result.hpp"

namespace ke {

/// Looks at the files of RUN arguments four times a second, by size and time alone; it opens them
/// when somebody asks, so that a page which nobody watches costs a run nothing. Runs may be killed,
/// resumed and added meanwhile.
class RunWatcher {
 public:
  explicit RunWatcher(std::vector<std::string> arguments);
  ~RunWatcher();
  RunWatcher(const RunWatcher&) = delete;
  RunWatcher& operator=(const RunWatcher&) = delete;

  /// Counts the changes that were told. They are told at least half a second apart, and so rarely
  /// that reading takes a twentieth of the time.
  std::uint64_t version() const;
  /// Waits until version() is above `seen` or `wait` has passed; the version then.
  std::uint64_t wait_beyond(std::uint64_t seen, std::chrono::milliseconds wait) const;
  /// The report's data as JSON text, as of version() or later. What cannot be read at the moment is
  /// an Error; so is a folder without runs.
  Result<std::shared_ptr<const std::string>> data();

 private:
  using Clock = std::chrono::steady_clock;
  void look();
  const std::vector<std::string> arguments_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::uint64_t version_ = 1;
  bool ending_ = false;
  std::mutex reading_;  ///< one reader at a time
  Clock::duration cost_{};
  std::uint64_t read_version_ = 0;
  std::shared_ptr<const std::string> data_;
  std::thread thread_;
};

}  // namespace ke
