#pragma once
// Kernels that do not do a task's work. A task is admitted only if its judge refuses them all.

#include <string>
#include <utility>
#include <vector>

#include "fitness/task.hpp"

namespace ke {

/// Names and C++ sources for the task's signature: zeros, nan, constant (outputs filled), identity
/// (the first input copied, repeated where it is too short), noop.
std::vector<std::pair<std::string, std::string>> trivial_kernels(const Task& task);

}  // namespace ke
