#pragma once
// Kills a worker that misses its deadline, so that the lane can wait without a timer.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>

namespace ke {

/// A thread that checks a deadline every few milliseconds. Arming is one atomic store, so it does
/// not lengthen a timed span.
class Watchdog {
 public:
  Watchdog();
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Kills `pidfd` once now_ns() passes `deadline_ns`. One deadline at a time.
  void arm(int pidfd, std::int64_t deadline_ns);
  /// Cancels the deadline. True when it fired since arm(). The caller may then close the
  /// descriptor.
  bool disarm();
  /// Whether this process stood still for a while since `since_ns`: somebody stopped it, or its
  /// machine was suspended.
  bool stood_still(std::int64_t since_ns) const;

 private:
  void watch();
  std::mutex mutex_;  // a descriptor is never closed and reused while it is being signalled
  std::atomic<std::int64_t> deadline_ns_{0};
  std::atomic<int> pidfd_{-1};
  std::atomic<bool> fired_{false};
  std::atomic<bool> ending_{false};
  std::atomic<std::int64_t> looked_ns_;      ///< when the thread last ran
  std::atomic<std::int64_t> gap_end_ns_{0};  ///< end of the last standstill
  std::thread thread_;
};

}  // namespace ke
