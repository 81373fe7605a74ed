#pragma once
// The oracle of evaluators whose kernels run elsewhere.

#include "experiments/evaluators/cpu.hpp"
#include "fitness/content/reference.hpp"

namespace ke {

/// The task's oracle, compiled as `host` says, in processes of its own.
Result<Reference> oracle_of(const Task& task, const CpuOptions& host);

}  // namespace ke
