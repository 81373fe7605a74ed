#pragma once

#include "core/job.hpp"
#include "core/result.hpp"
#include "fitness/task.hpp"

namespace ke {

/// The opponent's kernel: its own source, or a kernel of the task, by name, with default knobs.
/// Error: the task has no kernel of that name.
Result<Kernel> resolve_opponent(const Opponent& opponent, const Task& task);

}  // namespace ke
