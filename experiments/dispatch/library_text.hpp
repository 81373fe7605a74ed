#pragma once
// Writes the texts of an exported dispatcher that depend on its task and its plan. The code that
// they use lies in library/.

#include <string>
#include <string_view>

#include "experiments/dispatch/dispatch_plan.hpp"
#include "fitness/task.hpp"

namespace ke {

/// `NAME.h`: the functions in C, with the arguments of the task's kernels.
std::string header_text(const Task& task, const DispatchPlan& plan);
/// `dispatch.cpp`: the tables of variants and devices, and the functions.
std::string dispatch_text(const Task& task, const DispatchPlan& plan);
/// `kernels.sh` of a library for processors: the inputs of build.sh. `headers`: true if a folder
/// `include` is next to it.
std::string kernels_text(const DispatchPlan& plan, bool headers);
/// `code.S` of launched kernels: machine code, or the kernels' sources, as data.
std::string code_text(const DispatchPlan& plan);
/// `library.sh` of launched kernels: the names that build.sh needs.
std::string names_script(const Task& task, const DispatchPlan& plan);
/// `README.md`: the library's purpose, kernels and measurements.
std::string readme_text(const Task& task, const DispatchPlan& plan);
/// The part of a README.md that lists the library's kernels: a table with their origin and flags.
std::string kernels_table(const DispatchPlan& plan);
/// A kernel that calls the library at `path`, to measure it as a baseline of the task.
std::string caller_text(const Task& task, const DispatchPlan& plan, const std::string& path);

}  // namespace ke
