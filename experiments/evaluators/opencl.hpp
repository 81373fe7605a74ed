#pragma once
// The OpenCL kind's part that `eval` uses by itself.

#include "experiments/evaluators/cpu.hpp"

namespace ke {

/// An OpenCL evaluator with options at their defaults, behind the walls of `bench`.
Result<std::unique_ptr<Evaluator>> start_opencl(const std::shared_ptr<const Task>& task,
                                                const Workbench& bench);

}  // namespace ke
