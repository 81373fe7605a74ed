#pragma once
// The CPU evaluator: a compile pool, and one exclusive timing lane.

#include <memory>
#include <string>

#include "core/evaluator.hpp"
#include "fitness/content/reference.hpp"
#include "fitness/host/lane.hpp"
#include "fitness/task.hpp"

namespace ke {

/// An evaluator that can also answer a single job synchronously.
class CpuEvaluator : public Evaluator {
 public:
  /// Submits and waits for this job's fact; do not mix with poll().
  virtual Result<Fact> run_job(const Job& job) = 0;
};

/// Starts the threads. Errors: no compiler, no sandbox helper.
Result<std::unique_ptr<CpuEvaluator>> make_cpu_evaluator(std::shared_ptr<const Task> task,
                                                         Reference oracle,
                                                         const CpuOptions& options);

/// For a reference in C++, which is compiled first. Error: it does not compile.
Result<std::unique_ptr<CpuEvaluator>> make_cpu_evaluator(std::shared_ptr<const Task> task,
                                                         const CpuOptions& options);

}  // namespace ke
