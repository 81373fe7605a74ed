#pragma once
// Properties that all listed shapes of a task share, so that kernels may rely on them.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fitness/task.hpp"

namespace ke {

using AxisLengths = std::map<std::string, std::int64_t>;

/// The greatest common divisor of an axis's lengths over all workloads.
std::int64_t common_divisor(const Task& task, const std::string& axis);

/// The lengths of an axis at which kernels must be right: the task's declared range, or else from
/// the least to the greatest listed length; for C++ tasks to `beyond_listed` times the greatest.
AxisRange axis_range(const Task& task, const std::string& axis);
inline constexpr std::int64_t beyond_listed = 4;

/// Pairs of axes whose first is not longer than the second at any workload.
std::vector<std::pair<std::string, std::string>> ordered_axes(const Task& task);

/// Whether `axes` respects every pair of ordered_axes.
bool keeps_order(const Task& task, const AxisLengths& axes);

}  // namespace ke
