#pragma once
// What kernels of a task may silently rely on: what all of its listed shapes have in common.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fitness/task.hpp"

namespace ke {

using AxisLengths = std::map<std::string, std::int64_t>;

/// The greatest number that divides an axis at every workload.
std::int64_t common_divisor(const Task& task, const std::string& axis);

/// The lengths of an axis at which kernels must be right: what the task declares, or else from the
/// least listed length to the greatest one, of tasks in C++ to `beyond_listed` times that.
AxisRange axis_range(const Task& task, const std::string& axis);
inline constexpr std::int64_t beyond_listed = 4;

/// Pairs of axes, the first of which is longer than the second at no workload.
std::vector<std::pair<std::string, std::string>> ordered_axes(const Task& task);

/// Whether no axis is longer than another that it is never longer than at a workload.
bool keeps_order(const Task& task, const AxisLengths& axes);

}  // namespace ke
