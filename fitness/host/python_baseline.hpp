#pragma once
// Baselines in Python: what a task's reference computes, run as its users would run it.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/evaluator.hpp"
#include "core/kernel.hpp"
#include "core/result.hpp"
#include "fitness/content/shapes.hpp"
#include "fitness/host/bench.hpp"
#include "fitness/host/worker.hpp"
#include "fitness/sandbox/job.hpp"
#include "fitness/task.hpp"

namespace ke {

/// Names of a task's baselines in Python, the anchor of a task without kernels first; none where
/// its reference is no Python.
std::vector<std::string> python_baselines(const Task& task, const PythonHome& python);
/// Adds them to an evaluator's baselines, and the Python to its toolchain. In a task without
/// kernels the first one is called "anchor".
void describe_python_baselines(const Task& task, const PythonHome& python, EvaluatorInfo& info);
/// Such a baseline by its name, or by "anchor" in a task without kernels. Its language is its name.
std::optional<Kernel> find_python_baseline(const Task& task, const PythonHome& python,
                                           std::string_view name);
/// Whether a kernel's language is that of such a baseline.
bool is_python_baseline(std::string_view language);

/// The mode in which torch.compile makes such a baseline; "" = it is not compiled. Without CUDA
/// graphs: the host's part of a call is not timed.
std::string_view compile_mode(std::string_view language);

/// The program of one worker that is such a baseline, and its files.
class PythonBaseline {
 public:
  /// `shapes`: of all calls to come.
  static Result<std::unique_ptr<PythonBaseline>> create(const Bench& bench,
                                                        const std::string& language,
                                                        const std::string& source,
                                                        const std::vector<const Shapes*>& shapes,
                                                        const AddressPlan& plan);
  const WorkerProgram& program() const { return program_; }
  /// Why it ended itself; "" = it did not say.
  std::string failure() const;

 private:
  PythonBaseline(TemporaryFile source, TemporaryFile layout, JobFolder folder)
      : source_(std::move(source)), layout_(std::move(layout)), folder_(std::move(folder)) {}

  TemporaryFile source_, layout_;
  JobFolder folder_;
  WorkerProgram program_;
};

}  // namespace ke
