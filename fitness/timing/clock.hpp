#pragma once

#include <time.h>

#include <cstdint>

namespace ke {

/// Nanoseconds of a clock of the system.
std::int64_t clock_ns(clockid_t clock);
/// Nanoseconds of the judge's steady clock.
std::int64_t now_ns();

/// Whether the clocks of a sample with one busy thread differ by more than `tolerance` (a fraction
/// of the wall time) and by more than `slack_ns`, because of preemption or a manipulated clock.
bool clocks_differ(std::int64_t wall_ns, std::int64_t cpu_ns, double tolerance,
                   std::int64_t slack_ns);

/// Adds its own lifetime in ns to a sum.
class AddTime {
 public:
  explicit AddTime(std::int64_t& sum) : sum_(sum), begin_(now_ns()) {}
  ~AddTime() { sum_ += now_ns() - begin_; }
  AddTime(const AddTime&) = delete;
  AddTime& operator=(const AddTime&) = delete;

 private:
  std::int64_t& sum_;
  std::int64_t begin_;
};

}  // namespace ke
