#pragma once
// Detects changes of run files and reads them on request.

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

/// Checks size and time of the files of RUN arguments four times a second. Opens them only on
/// request, so that a page without viewers costs a run nothing. Runs may be killed, resumed and
/// added meanwhile.
class RunWatcher {
 public:
  explicit RunWatcher(std::vector<std::string> arguments);
  ~RunWatcher();
  RunWatcher(const RunWatcher&) = delete;
  RunWatcher& operator=(const RunWatcher&) = delete;

  /// Number of reported changes. Reports are at least half a second apart, and rare enough that
  /// reading takes a twentieth of the time.
  std::uint64_t version() const;
  /// Waits until version() is above `seen` or `wait` has passed; returns the version.
  std::uint64_t wait_beyond(std::uint64_t seen, std::chrono::milliseconds wait) const;
  /// The report's data as JSON text, no older than version(). Error if it cannot be read now, or if
  /// the folder holds no runs.
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
