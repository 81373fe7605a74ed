#pragma once
// Writes the sources of libraries that launch kernels, for GPUs or OpenCL devices, from their
// plans.

#include <string>

#include "experiments/dispatch/dispatch_plan.hpp"
#include "fitness/task.hpp"

namespace ke {

struct LaunchedSources {
  std::string header;    ///< NAME.h: the functions
  std::string dispatch;  ///< dispatch.cpp: the tables of variants and devices, and the functions
  std::string code;      ///< code.S: machine code, or the kernels' sources, as data
  std::string build;     ///< library.sh, which build.sh reads
};

/// A library for NVIDIA or AMD GPUs: the function, its workspace and its variants.
LaunchedSources gpu_sources(const Task& task, const DispatchPlan& plan);
/// A library for OpenCL devices: the function for buffers, the one for memory of the host, and the
/// variants.
LaunchedSources opencl_sources(const Task& task, const DispatchPlan& plan);

/// README.md up to the kernels.
std::string gpu_readme_text(const Task& task, const DispatchPlan& plan);
std::string opencl_readme_text(const Task& task, const DispatchPlan& plan);

}  // namespace ke
