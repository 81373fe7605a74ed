#include "core/countdown.hpp"

#include <algorithm>

namespace ke {
namespace {

constexpr std::chrono::milliseconds longest_step{100};
// Longer than a step takes on a busy machine.
constexpr std::chrono::milliseconds standstill{500};

}  // namespace

Countdown::Countdown(std::chrono::nanoseconds limit) : end_(asked_ + limit) {}

int Countdown::step() {
  const Clock::time_point now = Clock::now();
  if (now - asked_ > standstill) end_ += now - asked_;
  asked_ = now;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - now);
  return static_cast<int>(std::clamp(left, std::chrono::milliseconds(0), longest_step).count());
}

}  // namespace ke
