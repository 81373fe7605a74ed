#pragma once
// Kills a worker that does not stop in time, while the lane waits for it without a timer of its
// own.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>

namespace ke {

/// One thread that looks at a deadline every few milliseconds. Arming costs one atomic store, so a
/// span pays nothing for it.
class Watchdog {
 public:
  Watchdog();
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// From now on `pidfd` is killed when `deadline_ns` of now_ns() passes. One at a time.
  void arm(int pidfd, std::int64_t deadline_ns);
  /// No deadline any more. True when it had fired since arm(). The descriptor may be closed then.
  bool disarm();

 private:
  void watch();
  std::mutex mutex_;  // a descriptor is never closed and reused while it is being signalled
  std::atomic<std::int64_t> deadline_ns_{0};
  std::atomic<int> pidfd_{-1};
  std::atomic<bool> fired_{false};
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

}  // namespace ke
