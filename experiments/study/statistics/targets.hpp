#pragma once
// Evaluations until a run reaches a target, including runs that never reach it.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ke::statistics {

/// Best value after each evaluation. O(n).
std::vector<double> best_so_far(std::span<const double> values);

/// Evaluations (from 1) until a value reaches `target`; empty if none does.
std::optional<std::int64_t> evaluations_to_target(std::span<const double> values, double target);

/// One run: its evaluations, and whether it ended at the target.
struct TargetRun {
  std::int64_t evaluations = 0;
  bool reached = false;
};

/// Expected running time [Hansen2021]: evaluations of all runs over the number that reached the
/// target; the mean cost with restarts. Infinite if none reached it. Needs one run.
double expected_running_time(std::span<const TargetRun> runs);

/// Share of runs that reached the target within each budget; the CCDF of the evaluations is 1 minus
/// it. Needs one run.
std::vector<double> shares_reached(std::span<const TargetRun> runs,
                                   std::span<const std::int64_t> budgets);

}  // namespace ke::statistics
