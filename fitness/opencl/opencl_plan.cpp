#include "fitness/opencl/opencl_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <tuple>

namespace ke::opencl {
namespace {

constexpr std::uint64_t small_grid = 65535;  // limit between PoCL's two kinds of code
constexpr std::uint64_t large_grid = std::uint64_t{1} << 40;

/// Everything that selects the machine code of a launch.
using CodeKey = std::tuple<std::string, std::uint64_t, std::uint64_t, std::uint64_t, bool>;

CodeKey key_of(const wire::Launch& launch) {
  const bool small = *std::ranges::max_element(launch.global) < small_grid;
  return {launch.kernel, launch.local[0], launch.local[1], launch.local[2], small};
}

// PoCL searches for the file again when a grid is wider than any that it has loaded the code for.
wire::Launch widest(wire::Launch launch) {
  const bool small = *std::ranges::max_element(launch.global) < small_grid;
  std::ranges::copy(launch.local, launch.global);
  launch.global[0] = ((small ? small_grid : large_grid) - 1) / launch.local[0] * launch.local[0];
  return launch;
}

Error refused(int line, std::string_view what) {
  return {Failure::config,
          fmt::format("{} no plan of OpenCL kernels may hold, line {}", what, line)};
}

Result<void> check_words(const LaunchPlan& plan) {
  if (!plan.scratch.empty()) return refused(plan.scratch[0].line, "@scratch");
  if (!plan.maps.empty()) return refused(plan.maps[0].line, "@tensor_map");
  if (!plan.tables.empty()) return refused(plan.tables[0].line, "@pointers");
  for (const PlanStage& stage : plan.stages) {
    if (stage.memset) return refused(stage.line, "@memset");
    if (stage.copy) return refused(stage.line, "@copy");
    if (!stage.launch->cluster.empty()) return refused(stage.line, "cluster=");
    if (stage.launch->shared) return refused(stage.line, "shared=");
    if (stage.launch->carveout) return refused(stage.line, "carveout=");
    if (stage.launch->cooperative) return refused(stage.line, "cooperative");
    if (stage.launch->pdl) return refused(stage.line, "pdl");
    if (stage.launch->kernel.size() < wire::max_kernel_name) continue;
    return refused(stage.line, "a name of so many letters");
  }
  return {};
}

wire::Argument argument_of(const ResolvedArgument& from) {
  if (from.kind == ResolvedArgument::Kind::buffer) {
    return {wire::Argument::address, static_cast<std::uint64_t>(from.buffer.index)};
  }
  const bool narrow = from.kind == ResolvedArgument::Kind::word32;
  return {narrow ? wire::Argument::word32 : wire::Argument::word64,
          static_cast<std::uint64_t>(from.value)};
}

Result<wire::Launch> launch_of(const ResolvedStep& step) {
  wire::Launch launch;
  std::memcpy(launch.kernel, step.kernel.data(), step.kernel.size());
  for (std::size_t i = 0; i < 3; ++i) {
    launch.local[i] = static_cast<std::uint64_t>(step.block[i]);
    launch.global[i] = static_cast<std::uint64_t>(step.grid[i] * step.block[i]);
  }
  if (step.arguments.size() > wire::max_arguments) {
    return Error{Failure::config,
                 fmt::format("{} has {} arguments, at most {} are passed", step.kernel,
                             step.arguments.size(), wire::max_arguments)};
  }
  launch.argument_count = step.arguments.size();
  std::ranges::transform(step.arguments, launch.arguments, argument_of);
  return launch;
}

bool is_told(const Workload& workload) {
  return workload.role == Role::test || workload.role == Role::bench;
}

}  // namespace

Result<std::vector<wire::Launch>> launches_at(const LaunchPlan& plan, const PlanContext& context) {
  KE_TRY_VOID(check_words(plan));
  KE_TRY(const ResolvedPlan resolved, resolve_plan(plan, context));
  if (resolved.steps.size() > wire::max_launches) {
    return Error{Failure::config, fmt::format("{} launches, at most {} are run",
                                              resolved.steps.size(), wire::max_launches)};
  }
  std::vector<wire::Launch> launches;
  for (const ResolvedStep& step : resolved.steps) {
    KE_TRY(launches.emplace_back(), launch_of(step));
  }
  return launches;
}

Result<LaunchPlansPtr> plans_of(const LaunchPlan& plan, const PlanContext& context,
                                const Task& task) {
  auto plans = std::make_shared<LaunchPlans>();
  std::set<CodeKey> known;
  PlanContext at = context;
  at.task = &task;
  for (const Workload& workload : task.workloads) {
    at.workload = &workload;
    const auto launches = launches_at(plan, at);
    if (!launches) {
      return Error{
          Failure::config,
          fmt::format("{} ({})", launches.error().message,
                      is_told(workload) ? workload.label : "at a shape that is not shown")};
    }
    for (const wire::Launch& launch : *launches) {
      if (known.insert(key_of(launch)).second) plans->prepared.push_back(widest(launch));
    }
  }
  if (plans->prepared.size() > wire::max_launches) {
    return Error{Failure::config,
                 fmt::format("the workloads ask for {} pairs of kernel and local size, at most {} "
                             "are compiled; let block= depend on knobs alone",
                             plans->prepared.size(), wire::max_launches)};
  }
  plans->at = [plan, at, known](const Workload& workload) -> Result<std::vector<wire::Launch>> {
    PlanContext here = at;
    here.workload = &workload;
    KE_TRY(std::vector<wire::Launch> launches, launches_at(plan, here));
    for (const wire::Launch& launch : launches) {
      if (known.contains(key_of(launch))) continue;
      return Error{Failure::config, fmt::format("{} asks for a local size that no listed workload "
                                                "has; let block= depend on knobs alone",
                                                launch.kernel)};
    }
    return launches;
  };
  return LaunchPlansPtr(std::move(plans));
}

}  // namespace ke::opencl
