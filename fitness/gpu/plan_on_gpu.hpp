#pragma once
// Resolves a launch plan with the device's own answers, for callers without a lane.

#include <string>

#include "fitness/gpu/gpu_compiler.hpp"

namespace ke::gpu {

/// Evaluates a build's plan at a workload. For the occupancy, a helper process of `tools_dir` loads
/// the modules on GPU `index` and asks the driver. Error: the plan is illegal there, or the helper
/// does not answer.
Result<ResolvedPlan> plan_on_gpu(const Task& task, const Workload& workload, const GpuBuilt& built,
                                 const DeviceTerms& device, const std::string& tools_dir,
                                 int index);

}  // namespace ke::gpu
