#include "fitness/timing/clock.hpp"

#include <cmath>

namespace ke {

std::int64_t clock_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

std::int64_t now_ns() { return clock_ns(CLOCK_MONOTONIC); }

bool clocks_differ(std::int64_t wall_ns, std::int64_t cpu_ns, double tolerance,
                   std::int64_t slack_ns) {
  const auto wall = static_cast<double>(wall_ns);
  const double gap = std::abs(wall - static_cast<double>(cpu_ns));
  return gap > tolerance * wall && gap > static_cast<double>(slack_ns);
}

}  // namespace ke
