#pragma once
// Detects whether something else ran on the lane while a kernel was timed, from raw samples.

#include <cstdint>
#include <span>
#include <string_view>

namespace ke {

/// One timed sample on the judge's two clocks.
struct ClockSample {
  std::int64_t wall_ns = 0;
  std::int64_t cpu_ns = 0;  ///< CPU time of the worker, all threads
};

/// Share of samples in [0, 1] whose clocks differ by more than `tolerance` (a fraction of the wall
/// time) and by more than `slack_ns`, because of preemption or a manipulated clock. `threads` is
/// the number of threads that the kernel keeps busy. 0 without samples.
double clock_disagreement(std::span<const ClockSample> samples, double tolerance = 0.05,
                          std::int64_t slack_ns = 20'000, int threads = 1);

/// Share of samples in [0, 1] that lie more than `widths` robust standard deviations above the
/// median. 0 for fewer than 4 samples, or when more than half of them are equal.
double outlier_share(std::span<const std::int64_t> samples_ns, double widths = 5.0);

/// Relative drift over the whole series: the Theil-Sen slope [Sen1968] of the samples over their
/// index, times (n - 1), divided by the median. +0.02: the last samples take 2 % longer than the
/// first. 0 for fewer than 2 samples. O(n^2).
double relative_drift(std::span<const std::int64_t> samples_ns);

/// Limits above which a block of samples is unreliable.
struct ContentionLimits {
  double clock_disagreement = 0.1;
  double outlier_share = 0.2;
  double drift = 0.1;
};

enum class Contention { none, clocks_disagree, outliers, drift };

/// The sign's name as reported: none, clocks_disagree, outliers, drift.
std::string_view name_of(Contention contention);

/// The first limit that the samples break, in the order of the enum.
Contention detect_contention(std::span<const ClockSample> samples,
                             const ContentionLimits& limits = {}, int threads = 1);

}  // namespace ke
