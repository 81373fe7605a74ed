#pragma once
// The oracle of evaluators whose kernels run elsewhere.

#include "experiments/evaluators/cpu.hpp"
#include "fitness/content/reference.hpp"

namespace ke {

/// The task's oracle, compiled as `host` says and loaded into this process.
Result<Reference> oracle_of(const Task& task, const CpuOptions& host);

}  // namespace ke
