#pragma once
// Launch plans of OpenCL kernels, as a worker takes them.

#include <vector>

#include "core/result.hpp"
#include "fitness/host/launches.hpp"
#include "fitness/plan/resolve_plan.hpp"

namespace ke::opencl {

/// The launches of a plan at a workload: a block is a group of work-items, a grid the number of
/// groups. Errors are the kernel's: a declaration other than @launch, an argument that is no tensor
/// and no number, what the device does not allow; each with its line where there is one.
Result<std::vector<wire::Launch>> launches_at(const LaunchPlan& plan, const PlanContext& context);

/// The plans of one kernel at every workload. PoCL makes machine code for each local size, and
/// other code for more than 65534 work-items in a dimension; what the task's workloads need is
/// prepared, and shapes of no list may ask for nothing else. All borrowed but the plan.
Result<LaunchPlansPtr> plans_of(const LaunchPlan& plan, const PlanContext& context,
                                const Task& task);

}  // namespace ke::opencl
