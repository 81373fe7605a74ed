#pragma once
// The CUDA kind's part that `eval` uses by itself.

#include "experiments/evaluators/cpu.hpp"

namespace ke {

/// A CUDA evaluator with options at their defaults; the oracle is compiled as `bench` says.
Result<std::unique_ptr<Evaluator>> start_cuda(const std::shared_ptr<const Task>& task,
                                              const Workbench& bench);

}  // namespace ke
