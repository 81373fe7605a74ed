#pragma once
// Starts a task's oracle and finds its Python.

#include <memory>

#include "experiments/run/evaluators/cpu.hpp"
#include "fitness/content/reference.hpp"

namespace ke {

/// Starts the task's oracle in separate processes: compiled with `host`, or loaded by host.python
/// (null: by python_of).
Result<Reference> oracle_of(const Task& task, const CpuOptions& host);

/// The first python3 in PATH if the task's reference is Python, else null.
Result<std::shared_ptr<const PythonHome>> python_of(const Task& task);

/// The first python3 in PATH if the task's reference is Python and it has PyTorch for this
/// machine's GPUs, else null.
Result<std::shared_ptr<const PythonHome>> cuda_python_of(const Task& task, bool autotuned);

}  // namespace ke
