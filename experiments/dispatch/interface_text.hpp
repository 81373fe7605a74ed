#pragma once
// What the kernels of a library compute, for programs that call them.

#include <string>

#include "fitness/task.hpp"

namespace ke {

/// `interface.json` of a library: the task's tensors in the order of the arguments, its axes with
/// the lengths at which kernels are right, and where it comes from. An axis that is a whole
/// dimension of an input says of which; others are known to the caller alone.
std::string interface_text(const Task& task);

/// Name of the task's reference in the library's folder: reference.cpp or reference.py.
std::string reference_name(const Task& task);

}  // namespace ke
