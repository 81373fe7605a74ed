#pragma once
// What other kinds and `doctor` use of the python kind.

#include <chrono>
#include <memory>
#include <string>

#include "core/result.hpp"
#include "experiments/evaluators/cuda.hpp"
#include "fitness/python/dsl_compiler.hpp"

namespace ke {

/// What an interpreter, given by path or looked up in PATH, says of itself and of its DSLs.
Result<python::Installation> find_python(const std::string& interpreter);

/// The compiler of a DSL that the interpreter has, behind the workbench's walls. Error: it has no
/// usable version of the DSL.
Result<std::shared_ptr<const python::DslCompiler>> make_dsl_compiler(
    const std::string& dsl, const std::string& interpreter, const Workbench& bench,
    const std::string& tools_folder, std::chrono::milliseconds limit);

/// Options of the kind `python`, with the compiler of its DSL.
Result<GpuSetup> python_setup(Params& device, const std::shared_ptr<const Task>& task,
                              const EvaluatorSetup& setup);

}  // namespace ke
