#pragma once
// Times kernels on a machine with other load.

#include "core/evaluation.hpp"
#include "tests/support/sanitized.hpp"

namespace ke::test {

constexpr char too_busy[] = "the machine is too busy to time a kernel";

/// Result of `judge()`, repeated while something else ran beside the kernel; not repeated under
/// sanitizers, where timings mean little. A verdict that stays `unreliable` says nothing about the
/// kernel: the test skips, with `too_busy`.
template <typename Judge>
Fact in_a_quiet_moment(const Judge& judge) {
  Fact fact = judge();
  for (int again = sanitized ? 0 : 4; again > 0 && fact.verdict == Verdict::unreliable; --again) {
    fact = judge();
  }
  return fact;
}

}  // namespace ke::test
