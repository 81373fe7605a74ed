#pragma once
// Python baselines: compute a task's reference as its users would.

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

/// Names of a task's Python baselines. In a task without kernels the first is the anchor, the
/// opponent of every screen. Empty if the reference is not in Python.
std::vector<std::string> python_baselines(const Task& task, const PythonHome& python);
/// The baseline that "anchor" means in a task without kernels; "" for tasks with kernels.
std::string anchor_stand_in(const Task& task);
/// Adds the baselines to an evaluator's list, and Python to its toolchain. In a task without
/// kernels the first one is called "anchor".
void describe_python_baselines(const Task& task, const PythonHome& python, EvaluatorInfo& info);
/// Finds a baseline by name, or by "anchor" in a task without kernels. Its language is its name.
std::optional<Kernel> find_python_baseline(const Task& task, const PythonHome& python,
                                           std::string_view name);
/// Whether a kernel's language names a Python baseline.
bool is_python_baseline(std::string_view language);

/// The mode of torch.compile for a baseline; "" = not compiled. Avoids CUDA graphs, because the
/// host's part of a call is not timed.
std::string_view compile_mode(std::string_view language);

/// Whether a baseline multiplies float32 in TF32, so that its answers have that accuracy. The other
/// baselines keep float32's, also in convolutions, where PyTorch would not.
bool uses_tf32(std::string_view language);

/// The program of a worker that is a Python baseline, and its files.
class PythonBaseline {
 public:
  /// `shapes`: the shapes of all later calls.
  static Result<std::unique_ptr<PythonBaseline>> create(const Bench& bench,
                                                        const std::string& language,
                                                        const std::string& source,
                                                        const std::vector<const Shapes*>& shapes,
                                                        const AddressPlan& plan);
  const WorkerProgram& program() const { return program_; }
  /// Why the program ended itself; "" = it did not say.
  std::string failure() const;

 private:
  PythonBaseline(TemporaryFile source, TemporaryFile layout, const JobFolder& folder)
      : source_(std::move(source)), layout_(std::move(layout)), folder_(folder) {}

  TemporaryFile source_, layout_;
  const JobFolder& folder_;
  WorkerProgram program_;
};

}  // namespace ke
