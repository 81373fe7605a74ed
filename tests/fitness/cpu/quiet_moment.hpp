#pragma once
// Timing kernels on a machine that other work disturbs.

#include "core/evaluation.hpp"
#include "tests/support/sanitized.hpp"

namespace ke::test {

constexpr char too_busy[] = "the machine is too busy to time a kernel";

/// What `judge()` says, asked again while something else ran beside the kernel: not under
/// sanitizers, where timings say little. A verdict that is still `unreliable` is no statement about
/// the kernel: the test skips, with `too_busy`.
template <typename Judge>
Fact in_a_quiet_moment(const Judge& judge) {
  Fact fact = judge();
  for (int again = sanitized ? 0 : 4; again > 0 && fact.verdict == Verdict::unreliable; --again) {
    fact = judge();
  }
  return fact;
}

}  // namespace ke::test
