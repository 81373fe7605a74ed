#pragma once
// Writes the sources of a library for NVIDIA or AMD GPUs from its plan.

#include <string>

#include "experiments/dispatch/dispatch_plan.hpp"
#include "fitness/task.hpp"

namespace ke {

/// NAME.h: the function, its workspace and its variants.
std::string gpu_header_text(const Task& task, const DispatchPlan& plan);
/// dispatch.cpp: the tables of variants and of GPUs, and the functions.
std::string gpu_dispatch_text(const Task& task, const DispatchPlan& plan);
/// code.S: the machine code as data.
std::string gpu_code_text(const DispatchPlan& plan);
/// library.sh, which build.sh reads.
std::string gpu_build_text(const DispatchPlan& plan);
/// README.md up to the figures.
std::string gpu_readme_text(const Task& task, const DispatchPlan& plan);

}  // namespace ke
