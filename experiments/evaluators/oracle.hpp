#pragma once
// The oracle of evaluators whose kernels run elsewhere.

#include "experiments/evaluators/cpu.hpp"
#include "fitness/content/reference.hpp"

namespace ke {

/// The task's oracle in processes of its own: compiled as `host` says, or loaded by the python3
/// that is first in PATH.
Result<Reference> oracle_of(const Task& task, const CpuOptions& host);

}  // namespace ke
