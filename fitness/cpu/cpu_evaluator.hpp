#pragma once
// The CPU evaluator: a compile pool beside one exclusive timing lane.

#include <memory>
#include <string>

#include "core/evaluator.hpp"
#include "fitness/content/reference.hpp"
#include "fitness/host/lane.hpp"
#include "fitness/task.hpp"

namespace ke {

/// An evaluator that also answers one job at a time.
class CpuEvaluator : public Evaluator {
 public:
  /// Submits and waits for this job's fact; do not mix with poll().
  virtual Result<Fact> run_job(const Job& job) = 0;
  /// The kernel that an opponent's name means: anchor, naive, another kernel of the task.
  virtual Result<Kernel> kernel_named(const std::string& name) const = 0;
};

/// Starts the threads. Errors: no compiler, no sandbox helper.
Result<std::unique_ptr<CpuEvaluator>> make_cpu_evaluator(std::shared_ptr<const Task> task,
                                                         Reference oracle,
                                                         const CpuOptions& options);

/// The same for a reference in C++, which is compiled. Error: it does not compile.
Result<std::unique_ptr<CpuEvaluator>> make_cpu_evaluator(std::shared_ptr<const Task> task,
                                                         const CpuOptions& options);

}  // namespace ke
