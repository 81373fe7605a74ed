#pragma once
// The feedback record for operators: search and judge both write it, including profiler results.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/evaluation.hpp"

namespace ke {

inline constexpr std::size_t feedback_limit_bytes = 4096;

/// Prefix of measures from a profiler's counters. They are no axes: few kernels have them.
inline constexpr std::string_view profile_prefix = "ncu_";

/// Prefix of the policy flag that says why a kernel was not profiled.
inline constexpr std::string_view unprofiled_flag = "profile not_applicable";

/// Times of one workload, in the device's unit: nanoseconds, or a simulator's cost.
struct RecordedTiming {
  std::string workload;
  std::string role = "bench";  ///< bench or validation
  double time = 0;             ///< median of one call of the kernel
  double opponent_time = 0;    ///< 0 = not recorded
  double speedup = 0;
  Interval ci;                      ///< 95 % interval of the speedup
  double floor = 0;                 ///< time that memory traffic alone takes; 0 = unknown
  double gb_per_s = 0, gflops = 0;  ///< 0 = not recorded
  std::string limiter;              ///< "" = not recorded
};

/// The timed workloads of a record, in its order; empty when nothing was timed.
std::vector<RecordedTiming> timings_of(const std::string& feedback);

/// Appends the timed workloads of another record, e.g. a screen's on validation, to `feedback`.
/// Leaves `feedback` unchanged if they do not fit.
void add_timings(std::string& feedback, const std::string& from);

/// Stores sentences about a kernel's bottleneck in the record's list `profile`, as many as fit.
void add_profile(std::string& feedback, const std::vector<std::string>& sentences);

/// The profile sentences of a record; empty when nothing was profiled.
std::vector<std::string> profile_of(const std::string& feedback);

/// Copies the profiler's measures and sentences of a fact into the kernel's measures and feedback.
/// Does nothing when the fact has none.
void take_profile(const Fact& from, std::map<std::string, double>& measures, std::string& feedback);

}  // namespace ke
