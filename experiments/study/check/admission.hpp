#pragma once
// Checks that a task's judge rejects kernels that do no work and accepts the task's own.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/evaluator.hpp"
#include "core/result.hpp"
#include "fitness/content/reference.hpp"
#include "fitness/task.hpp"

namespace ke {

/// The judge's result for one kernel on every shape.
struct AdmissionLine {
  std::string kernel;
  bool trivial = false;  ///< must be refused; all others must pass
  Verdict verdict = Verdict::lost;
  std::string detail;  ///< reason or message
  bool as_it_should() const { return trivial ? verdict != Verdict::ok : verdict == Verdict::ok; }
};

struct Admission {
  std::vector<AdmissionLine> lines;
  std::vector<std::string> problems;  ///< each says why the task is not admitted
  /// Keys that the task leaves out, each with the figure or check that needs it. Notes do not
  /// prevent admission.
  std::vector<std::string> notes = {};
  bool judged = true;        ///< false: the kernels were compiled only
  double naive_margin = -1;  ///< largest used / allowed error; -1 = unknown
  bool admitted() const { return problems.empty(); }
};

/// Lists the task's missing keys, as in Admission::notes.
std::vector<std::string> notes_of(const Task& task);

/// Starts the judge of a task's kernels.
using StartJudge =
    std::function<Result<std::unique_ptr<Evaluator>>(const std::shared_ptr<const Task>& task)>;

/// Runs the reference on every shape, unless it is null, and tries trivial answers against its own.
/// Then judges the task's kernels. Takes seconds. Errors: the machine failed, or the reference did.
Result<Admission> admit(const std::shared_ptr<const Task>& task, const Reference* reference,
                        const StartJudge& start);

/// Compiles the task's own kernels without their ports, for machines that cannot run them.
Result<Admission> compile_kernels(const Task& task, Evaluator& compiler);

}  // namespace ke
