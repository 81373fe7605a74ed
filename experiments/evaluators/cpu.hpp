#pragma once
// The CPU kind's parts that `eval` and `check` use by themselves.

#include "experiments/evaluators/evaluator_kind.hpp"
#include "fitness/cpu/cpu_evaluator.hpp"
#include "fitness/sandbox/level.hpp"

namespace ke {

/// Reads task.yaml of a task by name or folder.
Result<std::shared_ptr<const Task>> load_task(const std::string& task, const std::string& beside);

/// One kernel of a task at its declared defaults, with its space.
Result<Seed> make_seed(const Task& task, const std::string& name, const std::string& source);

/// Kernels of a task as seeds, the anchor first, and its naive kernel.
Result<Subject> subject_of(std::shared_ptr<const Task> task);

/// Axes for what is read from the machine code of this processor.
std::vector<AxisInfo> descriptor_measures();

/// Options below `device`, completed by what the program knows.
CpuOptions cpu_options(Params& device, const EvaluatorSetup& setup);

/// A failure of the device when the compiler is no program, before anything is made for it.
Result<void> require_compiler(const CpuOptions& options);

/// An evaluator behind the walls that its options ask for, with the oracle of its task.
struct StartedCpu {
  std::unique_ptr<CpuEvaluator> evaluator;
  SandboxReport sandbox;
};
Result<StartedCpu> start_cpu(const std::shared_ptr<const Task>& task, CpuOptions options);

/// Options at their defaults for one kernel outside of a run; `sandbox` as `probe_sandbox` takes
/// it.
struct Workbench {
  CpuOptions options;
  SandboxReport sandbox;
};
Result<Workbench> make_workbench(std::string_view sandbox);

/// The words that it takes.
std::vector<std::string> sandbox_choices();

}  // namespace ke
