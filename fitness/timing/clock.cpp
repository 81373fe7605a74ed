#include "fitness/timing/clock.hpp"

#include <time.h>

#include <cmath>

namespace ke {

std::int64_t now_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

bool clocks_differ(std::int64_t wall_ns, std::int64_t cpu_ns, double tolerance,
                   std::int64_t slack_ns) {
  const auto wall = static_cast<double>(wall_ns);
  const double gap = std::abs(wall - static_cast<double>(cpu_ns));
  return gap > tolerance * wall && gap > static_cast<double>(slack_ns);
}

}  // namespace ke
