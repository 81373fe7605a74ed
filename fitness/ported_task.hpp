#pragma once
// Tasks whose structured kernel was written again in another language.

#include <string_view>

#include "fitness/task.hpp"

namespace ke {

/// The task as evaluators of another language see it: its naive kernel, which must be valid there
/// too, and the port as the anchor. Error: it has no kernel in that language.
Result<Task> in_language(Task task, std::string_view language);

}  // namespace ke
