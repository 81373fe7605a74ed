#pragma once
// Makes the task contract that prompts show.

#include <string>
#include <string_view>

#include "core/task_contract.hpp"
#include "fitness/task.hpp"

namespace ke {

/// The contract of the task's kernels in their own language; shapes of role holdout are left out.
TaskContract contract_of(const Task& task);

/// Describes the values of an input class of generate.hpp in words; "" for an unknown class.
std::string_view class_words(std::string_view input_class, Dtype dtype = Dtype::float32);

}  // namespace ke
