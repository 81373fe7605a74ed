#pragma once
// Describes a library's kernels to programs that call them.

#include <string>

#include "fitness/task.hpp"

namespace ke {

/// `interface.json` of a library: the task's tensors in argument order, its axes with the lengths
/// at which kernels are right, and the origin. An axis that is a whole dimension of an input names
/// that input; only the caller knows the others.
std::string interface_text(const Task& task);

/// File name of the task's reference in the library's folder: reference.cpp or reference.py.
std::string reference_name(const Task& task);

}  // namespace ke
