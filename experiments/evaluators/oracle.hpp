#pragma once
// The oracle of a task, and the Python that it runs in.

#include <memory>

#include "experiments/evaluators/cpu.hpp"
#include "fitness/content/reference.hpp"

namespace ke {

/// The task's oracle in processes of its own: compiled as `host` says, or loaded by host.python
/// (null: by what python_of says).
Result<Reference> oracle_of(const Task& task, const CpuOptions& host);

/// The python3 that is first in PATH, where the task's reference is Python; else null.
Result<std::shared_ptr<const PythonHome>> python_of(const Task& task);

/// The same, where it has PyTorch for the GPUs of this machine; else null.
Result<std::shared_ptr<const PythonHome>> cuda_python_of(const Task& task, bool autotuned);

}  // namespace ke
