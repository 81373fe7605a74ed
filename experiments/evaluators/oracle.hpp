#pragma once
// The oracle of evaluators whose kernels run elsewhere.

#include <string>

#include "experiments/evaluators/cpu.hpp"
#include "fitness/content/reference.hpp"

namespace ke {

/// The task's oracle in processes of its own: compiled as `host` says, or loaded by the Python that
/// the environment variable KERNELEVOLVE_PYTHON names, python3 if it is not set.
Result<Reference> oracle_of(const Task& task, const CpuOptions& host);

/// That Python: a path, or a name in PATH.
std::string python_for_references();

}  // namespace ke
