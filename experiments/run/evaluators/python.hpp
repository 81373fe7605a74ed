#pragma once
// Parts of the python kind that other kinds and `doctor` use.

#include <chrono>
#include <memory>
#include <string>

#include "core/result.hpp"
#include "experiments/run/evaluators/cuda.hpp"
#include "fitness/python/dsl_compiler.hpp"

namespace ke {

/// Queries an interpreter, given by path or found in PATH, for its version and DSLs.
Result<python::Installation> find_python(const std::string& interpreter);

/// Makes the compiler of the interpreter's DSL, in the workbench's sandbox. Error: the interpreter
/// has no usable version of the DSL.
Result<std::shared_ptr<const python::DslCompiler>> make_dsl_compiler(
    const std::string& dsl, const std::string& interpreter, const Workbench& bench,
    const std::string& tools_folder, std::chrono::milliseconds limit);

/// Reads the options of the kind `python` and makes the compiler of its DSL.
Result<GpuSetup> python_setup(Params& device, const std::shared_ptr<const Task>& task,
                              const EvaluatorSetup& setup);

}  // namespace ke
