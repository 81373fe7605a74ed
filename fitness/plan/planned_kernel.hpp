#pragma once
// Parses a kernel with a launch plan before anything is compiled.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/kernel.hpp"
#include "fitness/build_outcome.hpp"
#include "fitness/host/build/source_check.hpp"
#include "fitness/plan/launch_plan.hpp"
#include "fitness/plan/resolve_plan.hpp"
#include "fitness/task.hpp"

namespace ke {

/// The parts of a kernel that a builder uses.
struct PlannedKernel : DeclaredKernel {
  LaunchPlan plan;
  std::map<std::string, std::int64_t> knobs;  ///< in the form that plans use
};

/// Fills `parts`, or reports a problem in the text, the declarations, the knobs or the plan.
/// Kernels without a name appear as `file_name`.
std::optional<Refusal> take_apart(const Kernel& kernel, const std::string& file_name,
                                  PlannedKernel& parts);

/// The plan at every workload, with an occupancy of one block per multiprocessor: a plan that is
/// illegal with that is illegal on the device. Error: the first problem and its place.
Result<std::vector<ResolvedPlan>> plans_of(const Task& task, const LaunchPlan& plan,
                                           const std::map<std::string, std::int64_t>& knobs,
                                           const DeviceTerms& device);

}  // namespace ke
