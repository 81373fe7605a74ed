#pragma once
// A launch plan as C++ of an exported library, which calls gpu_library/launch.hpp.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "fitness/plan/launch_plan.hpp"
#include "fitness/task.hpp"

namespace ke {

/// Names of the kernels that a plan launches, each once: what the text calls them by is their
/// index.
std::vector<std::string> launched_kernels(const LaunchPlan& plan);

/// `inline dispatch::Status run(dispatch::Run&)`: evaluates the plan at the lengths of a call, as
/// `resolve_plan` does, and launches it. Errors: what a library cannot do, with its line: pointer
/// tables and copies into variables, which calls on two streams would share; a name that is no
/// argument of the kernel.
Result<std::string> launch_text(const Task& task, const LaunchPlan& plan,
                                const std::map<std::string, std::int64_t>& knobs);

}  // namespace ke
