#pragma once
// Compiles a kernel in a Python DSL to machine code with a checked launch plan.

#include <memory>
#include <string>

#include "core/kernel.hpp"
#include "core/result.hpp"
#include "fitness/gpu/gpu_compiler.hpp"
#include "fitness/plan/resolve_plan.hpp"
#include "fitness/python/dsl_compiler.hpp"
#include "fitness/task.hpp"

namespace ke::python {

/// Builds a kernel for `arch`, e.g. "sm_90a" or "gfx942". Its measures are those of
/// gpu::ptx_measures for NVIDIA, of gpu::resource_names for AMD. Its launch plan may hold @launch,
/// @scratch and @memset alone; the compiler sets blocks and shared memory. Bad kernels are values
/// with a verdict; an Error means that the machine failed. Thread-safe.
Result<gpu::GpuBuilt> build_python(const Task& task, const DeviceTerms& device,
                                   const std::string& arch, const DslCompiler& compiler,
                                   const Kernel& kernel);

/// Wraps build_python as a compiler of GPU kernels. Its toolchain lists every usable DSL, after a
/// semicolon, or only the DSL `only`.
std::shared_ptr<const gpu::GpuCompiler> make_python_compiler(
    std::shared_ptr<const Task> task, std::shared_ptr<const DslCompiler> compiler,
    std::string only = "");

}  // namespace ke::python
