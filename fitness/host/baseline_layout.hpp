#pragma once
// What the programs of baselines in Python are told of their task.

#include "core/json.hpp"
#include "fitness/task.hpp"

namespace ke {

/// The tensors in signature order: dtype, output, unchanging.
Json baseline_tensors(const Task& task);

}  // namespace ke
