#pragma once
// Kernels that do not do a task's work. A task is admitted only if its judge refuses them all.

#include <string>
#include <utility>
#include <vector>

#include "fitness/task.hpp"

namespace ke {

/// Names and sources for the task's signature: zeros, nan, constant (outputs filled), noop, and in
/// C++ identity (the first input copied, repeated where it is too short). Launched device code sets
/// bytes of outputs: constant is 0.747 in float32. None for other languages.
std::vector<std::pair<std::string, std::string>> trivial_kernels(const Task& task);

}  // namespace ke
