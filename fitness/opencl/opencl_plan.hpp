#pragma once
// Converts launch plans of OpenCL kernels to the worker's form.

#include <vector>

#include "core/result.hpp"
#include "fitness/host/built.hpp"
#include "fitness/plan/resolve_plan.hpp"

namespace ke::opencl {

/// The launches of a plan at a workload: a block is a work-group, and a grid is the number of
/// groups. Errors are the kernel's: a declaration other than @launch, an argument that is neither
/// tensor nor number, or a violation of the device's limits; each with its line if known.
Result<std::vector<wire::Launch>> launches_at(const LaunchPlan& plan, const PlanContext& context);

/// The plans of one kernel at every workload. PoCL makes separate machine code for each local size,
/// and for more than 65534 work-items in a dimension. Prepares the code for the task's workloads;
/// unlisted shapes may not need any other. Borrows everything but the plan.
Result<LaunchPlansPtr> plans_of(const LaunchPlan& plan, const PlanContext& context,
                                const Task& task);

}  // namespace ke::opencl
