#pragma once
// A time limit for waiting on another process.

#include <chrono>

namespace ke {

/// Counts down on the steady clock, but not while this process stood still: Ctrl-Z, a suspended
/// job or a sleeping machine stops the awaited process too. Callers wait in steps of step().
class Countdown {
 public:
  explicit Countdown(std::chrono::nanoseconds limit);
  /// Milliseconds to wait before asking again, at most 100; 0 when the time is up.
  int step();

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point asked_ = Clock::now();
  Clock::time_point end_;
};

}  // namespace ke
