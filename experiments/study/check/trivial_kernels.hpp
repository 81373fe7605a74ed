#pragma once
// Kernels that skip a task's work. A task is admitted only if its judge refuses all of them.

#include <string>
#include <utility>
#include <vector>

#include "fitness/task.hpp"

namespace ke {

/// Names and sources for the task's signature: zeros, nan, constant (filled outputs), noop, and in
/// C++ also identity (copies the first input, repeating it if it is too short). In launched device
/// code, the kernels set the outputs' bytes; constant is 0.747 in float32. Empty for other
/// languages.
std::vector<std::pair<std::string, std::string>> trivial_kernels(const Task& task);

}  // namespace ke
