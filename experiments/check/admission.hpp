#pragma once
// Whether a task can tell work from no work.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/evaluator.hpp"
#include "core/result.hpp"
#include "fitness/content/reference.hpp"
#include "fitness/task.hpp"

namespace ke {

/// What the judge said of one kernel, on every shape.
struct AdmissionLine {
  std::string kernel;
  bool trivial = false;  ///< must be refused; all others must pass
  Verdict verdict = Verdict::lost;
  std::string detail;  ///< reason or message
  bool drawn = false;  ///< a random configuration, which may fail
  bool as_it_should() const { return trivial ? verdict != Verdict::ok : verdict == Verdict::ok; }
};

struct Admission {
  std::vector<AdmissionLine> lines;
  std::vector<std::string> problems;  ///< each says why the task is not admitted
  /// Keys that the task leaves out, each with the figure or check that is missing for it. The task
  /// is admitted all the same.
  std::vector<std::string> notes = {};
  bool judged = true;        ///< false: the kernels were compiled and nothing else
  double naive_margin = -1;  ///< largest error used / allowed; -1 = not known
  bool admitted() const { return problems.empty(); }
};

/// The notes of a task.
std::vector<std::string> notes_of(const Task& task);

/// Starts what judges a task's kernels.
using StartJudge =
    std::function<Result<std::unique_ptr<Evaluator>>(const std::shared_ptr<const Task>& task)>;

/// Asks the reference on every shape, unless it is null. Then judges the task's own kernels on
/// everything, the trivial ones on ordinary numbers alone: whoever is caught by nothing but a NaN
/// could pass a run that draws none. Some seconds. Errors: the machine's, or the reference failed.
Result<Admission> admit(const std::shared_ptr<const Task>& task, const Reference* reference,
                        const StartJudge& start);

/// Judges each of the task's kernels at `count` random points of its knobs and flags, seed 1, and
/// adds their lines. A point that fails keeps no task out: searches find such points too.
Result<void> judge_configurations(const std::shared_ptr<const Task>& task, const StartJudge& start,
                                  std::int64_t count, Admission& admission);

/// Compiles the task's own kernels, ports not included, where nothing can run them.
Result<Admission> compile_kernels(const Task& task, Evaluator& compiler);

}  // namespace ke
