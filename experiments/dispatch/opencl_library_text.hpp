#pragma once
// Writes the sources of a library for OpenCL devices from its plan.

#include <string>

#include "experiments/dispatch/dispatch_plan.hpp"
#include "fitness/task.hpp"

namespace ke {

/// NAME.h: the function for buffers, the one for memory of the host, and the variants.
std::string opencl_header_text(const Task& task, const DispatchPlan& plan);
/// dispatch.cpp: the tables of variants and devices, and the functions.
std::string opencl_dispatch_text(const Task& task, const DispatchPlan& plan);
/// code.S: the kernels' sources as data.
std::string opencl_code_text(const DispatchPlan& plan);
/// library.sh, which build.sh reads.
std::string opencl_build_text(const DispatchPlan& plan);
/// README.md up to the figures.
std::string opencl_readme_text(const Task& task, const DispatchPlan& plan);

}  // namespace ke
