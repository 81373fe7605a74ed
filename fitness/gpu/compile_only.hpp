#pragma once
// An evaluator without a device that answers only builds.

#include <functional>
#include <memory>

#include "core/evaluator.hpp"
#include "fitness/gpu/gpu_compiler.hpp"

namespace ke::gpu {

using BuildKernel = std::function<Result<GpuBuilt>(const Kernel& kernel)>;

/// Jobs of other kinds are lost.
std::unique_ptr<Evaluator> compile_only(EvaluatorInfo info, std::shared_ptr<const Task> task,
                                        BuildKernel build);

}  // namespace ke::gpu
