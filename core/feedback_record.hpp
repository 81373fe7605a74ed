#pragma once
// The record that operators learn from, where search and judge both write: what a profiler said.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/evaluation.hpp"

namespace ke {

inline constexpr std::size_t feedback_limit_bytes = 4096;

/// How the measures begin that a profiler's counters gave. They are no axes: few kernels have them.
inline constexpr std::string_view profile_prefix = "ncu_";

/// How the policy flag begins that says why a kernel was not profiled.
inline constexpr std::string_view unprofiled_flag = "profile not_applicable";

/// The times of one workload, in the device's unit: nanoseconds, or a simulator's cost.
struct RecordedTiming {
  std::string workload;
  std::string role = "bench";  ///< bench or validation
  double time = 0;             ///< of the kernel; median of one call
  double opponent_time = 0;    ///< 0 = not said
  double speedup = 0;
  Interval ci;                      ///< 95 %, of the speedup
  double floor = 0;                 ///< what memory alone needs; 0 = unknown
  double gb_per_s = 0, gflops = 0;  ///< 0 = not said
  std::string limiter;              ///< "" = not said
};

/// The timed workloads of a record, in its order; none when nothing was timed.
std::vector<RecordedTiming> timings_of(const std::string& feedback);

/// Appends the timed workloads of another record, such as that of a screen at validation, to those
/// of `feedback`. Nothing changes where they would not fit.
void add_timings(std::string& feedback, const std::string& from);

/// Puts sentences about what limits a kernel into its record, as the list `profile`; as many of
/// them as fit.
void add_profile(std::string& feedback, const std::vector<std::string>& sentences);

/// The sentences of a record; none when nothing was profiled.
std::vector<std::string> profile_of(const std::string& feedback);

/// Measures and sentences of a fact whose kernel was profiled go to what else is known of that
/// kernel. Nothing else changes; nothing at all when the fact has none.
void take_profile(const Fact& from, std::map<std::string, double>& measures, std::string& feedback);

}  // namespace ke
