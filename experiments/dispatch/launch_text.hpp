#pragma once
// Writes a launch plan as C++ for an exported library; the code calls gpu_library/launch.hpp.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "fitness/plan/launch_plan.hpp"
#include "fitness/task.hpp"

namespace ke {

/// Names of the kernels that a plan launches, each once. The written code refers to them by index.
std::vector<std::string> launched_kernels(const LaunchPlan& plan);

/// Writes `inline dispatch::Status run(dispatch::Run&)`, which evaluates the plan at the lengths of
/// a call, as `resolve_plan` does, and launches it. Errors, with the line: features that a library
/// cannot support (pointer tables and copies into variables, which calls on two streams would
/// share); a name that is no argument of the kernel.
Result<std::string> launch_text(const Task& task, const LaunchPlan& plan,
                                const std::map<std::string, std::int64_t>& knobs);

}  // namespace ke
