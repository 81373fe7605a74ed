#pragma once
// What kernels of a task may silently rely on: what all of its listed shapes have in common.

#include <cstdint>
#include <map>
#include <string>

#include "fitness/task.hpp"

namespace ke {

using AxisLengths = std::map<std::string, std::int64_t>;

/// The greatest number that divides an axis at every workload.
std::int64_t common_divisor(const Task& task, const std::string& axis);

/// Whether no axis is longer than another that it is never longer than at a workload.
bool keeps_order(const Task& task, const AxisLengths& axes);

}  // namespace ke
