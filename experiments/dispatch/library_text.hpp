#pragma once
// The texts of an exported dispatcher that depend on its task and its plan.

#include <string>

#include "experiments/dispatch/dispatch_plan.hpp"
#include "fitness/task.hpp"

namespace ke {

/// `NAME.h`: the function, in C, with the arguments of the task's kernels.
std::string header_text(const Task& task, const DispatchPlan& plan);
/// `dispatch.cpp`: the tables and what calls the kernels.
std::string dispatch_text(const Task& task, const DispatchPlan& plan);
/// `kernels.sh`: what build.sh builds. `headers`: whether a folder `include` stands beside it.
std::string kernels_text(const DispatchPlan& plan, bool headers);
/// `README.md`: what it is, its kernels, what was measured.
std::string readme_text(const Task& task, const DispatchPlan& plan);
/// A kernel that calls the library at `path`, to measure it as a baseline of the task.
std::string caller_text(const Task& task, const DispatchPlan& plan, const std::string& path);

/// Whether the task has inputs that kernels may prepare.
bool has_unchanging_inputs(const Task& task);

/// Without what would end a comment of C.
std::string in_comment(std::string text);

}  // namespace ke
