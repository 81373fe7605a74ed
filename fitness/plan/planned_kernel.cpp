#include "fitness/plan/planned_kernel.hpp"

#include <fmt/format.h>

#include "core/knob_space.hpp"

namespace ke {

std::optional<Refusal> take_apart(const Kernel& kernel, const std::string& file_name,
                                  PlannedKernel& parts) {
  if (auto refusal = check_kernel(kernel, file_name, ExtraFlags::refused, parts)) return refusal;
  auto plan = parse_launch_plan(kernel.name.empty() ? file_name : kernel.name, kernel.source);
  if (!plan) return Refusal{"bad_plan", plan.error().message};
  parts.plan = *std::move(plan);
  parts.knobs = plan_knobs(parts.space, kernel);
  return std::nullopt;
}

Result<std::vector<ResolvedPlan>> plans_of(const Task& task, const LaunchPlan& plan,
                                           const std::map<std::string, std::int64_t>& knobs,
                                           const DeviceTerms& device) {
  std::vector<ResolvedPlan> plans;
  for (const Workload& workload : task.workloads) {
    PlanContext context{&task, &workload, knobs, device, {}};
    context.occupancy = [](const std::string&, std::int64_t, std::int64_t) -> Result<std::int64_t> {
      return std::int64_t{1};
    };
    auto resolved = resolve_plan(plan, context);
    if (!resolved) {
      const bool shown = workload.role == Role::test || workload.role == Role::bench;
      return Error{Failure::config,
                   fmt::format("{} ({})", resolved.error().message,
                               shown ? workload.label : "at a shape that is not shown")};
    }
    plans.push_back(*std::move(resolved));
  }
  return plans;
}

}  // namespace ke
