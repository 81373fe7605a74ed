#pragma once
// Tasks whose structured kernel also exists in another language.

#include <string_view>

#include "fitness/task.hpp"

namespace ke {

/// The task for evaluators of another language: keeps the naive kernel, which must be valid in that
/// language too, and makes the port the anchor. Error: the task has no kernel in that language.
Result<Task> in_language(Task task, std::string_view language);

}  // namespace ke
