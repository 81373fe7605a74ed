#pragma once
// From a kernel in a Python DSL to machine code with a checked launch plan.

#include <string>

#include "core/kernel.hpp"
#include "core/result.hpp"
#include "fitness/cuda/cuda_builder.hpp"
#include "fitness/plan/resolve_plan.hpp"
#include "fitness/python/dsl_compiler.hpp"
#include "fitness/task.hpp"

namespace ke::python {

/// Builds a kernel for `arch`, e.g. "sm_90a" or "gfx942", with the measures of cuda::ptx_measures
/// or of hip::resource_names. Its launch plan holds @launch, @scratch and @memset; blocks and
/// shared memory are what the compiler says. Bad kernels are values with a verdict; errors are the
/// machine's. Thread-safe.
Result<cuda::CudaBuilt> build_python(const Task& task, const DeviceTerms& device,
                                     const std::string& arch, const DslCompiler& compiler,
                                     const Kernel& kernel);

}  // namespace ke::python
