#pragma once
// The description of a task for the programs of Python baselines.

#include "core/json.hpp"
#include "fitness/task.hpp"

namespace ke {

/// The tensors in signature order: dtype, output, unchanging.
Json baseline_tensors(const Task& task);

}  // namespace ke
