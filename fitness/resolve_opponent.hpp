#pragma once

#include "core/job.hpp"
#include "core/result.hpp"
#include "fitness/task.hpp"

namespace ke {

/// The kernel that an opponent means: its own, or one of the task with default knobs. Error: a name
/// that the task does not have.
Result<Kernel> resolve_opponent(const Opponent& opponent, const Task& task);

}  // namespace ke
