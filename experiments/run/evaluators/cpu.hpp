#pragma once
// Parts of the CPU kind that `eval` and `check` use directly.

#include "experiments/run/evaluators/evaluator_kind.hpp"
#include "fitness/cpu/cpu_evaluator.hpp"
#include "fitness/sandbox/level.hpp"

namespace ke {

/// Reads task.yaml of a task by name or folder.
Result<std::shared_ptr<const Task>> load_task(const std::string& task, const std::string& beside);

/// Makes a seed of a task's kernel at its declared defaults, with its space.
Result<Seed> make_seed(const Task& task, const std::string& name, const std::string& source);

/// Reads a task's kernels as seeds, with the anchor first, and its naive kernel.
Result<Subject> subject_of(std::shared_ptr<const Task> task);

/// Loads a task whose kernels devices of that kind can judge.
Result<Subject> subject_of(const std::string& task, const std::string& beside,
                           std::string_view kind);

/// Axes for measures of the machine code of this processor.
std::vector<AxisInfo> descriptor_measures();

/// Reads the options below `device` and adds paths and settings of the program.
CpuOptions cpu_options(Params& device, const EvaluatorSetup& setup);

/// Takes margin and error of duels from the experiment's acceptance.
void set_duels(JudgingRules& rules, const AcceptancePlan& acceptance);
/// Error of kind device if the compiler is no program; called before anything is created for it.
Result<void> require_compiler(const CpuOptions& options);

/// An evaluator in the sandbox that its options ask for, with the oracle of its task.
struct StartedCpu {
  std::unique_ptr<CpuEvaluator> evaluator;
  SandboxReport sandbox;
};
Result<StartedCpu> start_cpu(const std::shared_ptr<const Task>& task, CpuOptions options);

/// Default options for one kernel outside of a run; `sandbox` as for `probe_sandbox`.
struct Workbench {
  CpuOptions options;
  SandboxReport sandbox;
};
Result<Workbench> make_workbench(std::string_view sandbox);

/// Words that `sandbox` accepts.
std::vector<std::string> sandbox_choices();

}  // namespace ke
