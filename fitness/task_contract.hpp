#pragma once
// From a task to what prompts tell of it.

#include <string>
#include <string_view>

#include "core/task_contract.hpp"
#include "fitness/task.hpp"

namespace ke {

/// The contract of the task's kernels in their own language; shapes of role holdout are left out.
TaskContract contract_of(const Task& task);

/// The values of an input class of generate.hpp, in words; "" for an unknown one.
std::string_view class_words(std::string_view input_class, Dtype dtype = Dtype::float32);

}  // namespace ke
