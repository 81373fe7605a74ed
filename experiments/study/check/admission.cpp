#include "experiments/study/check/admission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/search/job_maker.hpp"
#include "experiments/run/ask.hpp"
#include "experiments/text/json.hpp"
#include "fitness/build_outcome.hpp"
#include "fitness/content/admit.hpp"

namespace ke {
namespace {

/// Checks correctness on every shape, without timing.
Result<Fact> judge_fully(Evaluator& evaluator, const Task& task, const Kernel& kernel) {
  const JobMaker jobs(evaluator.info(), task.content_hash);
  KE_TRY(Fact built, ask(evaluator, jobs.build(kernel)));
  if (built.verdict != Verdict::ok) return built;
  return ask_reliably(evaluator, jobs.check(kernel, built.build_hash), "check/1");
}

/// Returns the largest used / allowed error that the judge recorded, or -1.
double margin_of(const Fact& fact) {
  const Json feedback = parse_json(fact.feedback);
  const bool known = feedback.is_object() && feedback.contains("error_used_of_allowed") &&
                     feedback["error_used_of_allowed"].is_number();
  return known ? feedback["error_used_of_allowed"].get<double>() : -1;
}

/// Uses the naive kernel to measure how wide the tolerance is.
void check_margin(const Fact& fact, AdmissionLine& line, Admission& admission) {
  admission.naive_margin = margin_of(fact);
  if (admission.naive_margin < 0) {
    admission.problems.push_back("the judge gave no error of the naive kernel");
    return;
  }
  line.detail = fmt::format("error is {:.3g} of the tolerance, at most {} is allowed",
                            admission.naive_margin, admitted_ratio);
  if (admission.naive_margin > admitted_ratio) {
    admission.problems.push_back("the tolerance is below four times the naive kernel's error: " +
                                 line.detail);
  }
}

Kernel kernel_of(const Task& task, const std::string& name, const std::string& source) {
  Kernel kernel;
  kernel.name = name;
  kernel.source = source;
  if (const auto space = parse_kernel_space(name, source)) kernel = space->defaults(name, source);
  kernel.language = task.language;
  return kernel;
}

Result<void> judge_one(Evaluator& evaluator, const Task& task, const std::string& name,
                       const std::string& source, Admission& admission) {
  const Kernel kernel = kernel_of(task, name, source);
  KE_TRY(const Fact fact, judge_fully(evaluator, task, kernel));
  AdmissionLine line{name, false, fact.verdict, fact.message.empty() ? fact.reason : fact.message};
  if (task.include_dir.empty() && lacks_file(line.detail)) {
    line.detail +=
        "; in task.yaml 'include: FOLDER' says where headers are, 'include: shipped' "
        "means those of the shipped tasks";
  }
  if (!line.as_it_should()) {
    admission.problems.push_back(fmt::format("kernel '{}' does not pass: {} {}", name,
                                             to_string(fact.verdict), line.detail));
  }
  if (name == "naive" && fact.verdict == Verdict::ok) check_margin(fact, line, admission);
  admission.lines.push_back(std::move(line));
  return {};
}

Result<void> judge_all(const std::shared_ptr<const Task>& task, const StartJudge& start,
                       Admission& admission) {
  if (task->kernels.empty()) return {};
  KE_TRY(const auto evaluator, start(task));
  for (const auto& [name, source] : task->kernels) {
    KE_TRY_VOID(judge_one(*evaluator, *task, name, source, admission));
  }
  return {};
}

void add_trivial(const TrivialAnswer& answer, Admission& admission) {
  const bool passes = answer.refuted_by.empty();
  if (passes) {
    admission.problems.push_back(
        fmt::format("the trivial kernel '{}' passes: the tolerance tells nothing", answer.name));
  }
  admission.lines.push_back({answer.name, true, passes ? Verdict::ok : Verdict::wrong_result,
                             passes ? "" : "of " + answer.refuted_by});
}

bool draws_nan(const Task& task) {
  return std::ranges::any_of(task.tensors, [](const TensorSpec& tensor) {
    return std::ranges::any_of(tensor.classes,
                               [](const auto& name) { return name.ends_with("nan_inf"); });
  });
}

bool has_floats_in(const Task& task) {
  return std::ranges::any_of(task.tensors, [](const TensorSpec& tensor) {
    return !tensor.output && is_float(tensor.dtype);
  });
}

/// Returns the cost of the first bench workload, or 0 if none is declared.
std::int64_t cost_of(const Task& task, const Expression& cost) {
  for (const Workload& workload : task.workloads) {
    if (workload.role != Role::bench) continue;
    const auto value = task.value(cost, workload);
    return value ? *value : 0;
  }
  return 0;
}

/// Reports that the reference may be wrong when it disagrees with all of the task's own kernels.
void doubt_reference(const Task& task, Admission& admission) {
  const auto disagrees = [](const AdmissionLine& line) {
    return line.verdict == Verdict::wrong_result;
  };
  if (admission.lines.empty() || !std::ranges::all_of(admission.lines, disagrees)) return;
  admission.problems.push_back(
      fmt::format("no kernel of the task agrees with {}: the reference may be what is wrong",
                  task.reference_file));
}

}  // namespace

std::vector<std::string> notes_of(const Task& task) {
  std::vector<std::string> notes;
  if (cost_of(task, task.bytes) <= 0)
    notes.emplace_back(
        "no 'cost.bytes': feedback names no GB/s, and no time is refused as faster "
        "than memory");
  if (cost_of(task, task.flops) <= 0)
    notes.emplace_back("no 'cost.flops': feedback names no GFLOP/s");
  if (task.tolerance.matched_ratio < 1 && std::isinf(task.tolerance.max_error)) {
    notes.push_back(fmt::format(
        "'matched_ratio' is {:g} and there is no 'max_error': a kernel may get {:g} % of the "
        "elements wrong",
        task.tolerance.matched_ratio, 100 * (1 - task.tolerance.matched_ratio)));
  }
  if (task.kernels.empty())
    notes.emplace_back("no 'kernels': the tolerance was not compared with a kernel's error");
  if (has_floats_in(task) && task.nonfinite == Nonfinite::unspecified)
    notes.emplace_back("no 'nonfinite': kernels may lose NaN and infinities");
  if (task.nonfinite != Nonfinite::unspecified && !draws_nan(task))
    notes.emplace_back(
        "'nonfinite' is declared, but no input has the class nan_inf: it is never "
        "checked");
  if (task.has_one_shape()) {
    notes.emplace_back(
        "one shape: no length varies, so every figure is of the shape that kernels are chosen by");
  }
  for (const Role role : {Role::validation, Role::holdout}) {
    if (!task.labels(role).empty() || task.has_one_shape()) continue;
    notes.push_back(fmt::format(
        "no {} workload: {}", to_string(role),
        role == Role::validation ? "kernels that are fast at the bench shapes alone are not noticed"
                                 : "no figure is of shapes that nothing was chosen by"));
  }
  return notes;
}

Result<Admission> admit(const std::shared_ptr<const Task>& task, const Reference* reference,
                        const StartJudge& start) {
  Admission admission;
  admission.notes = notes_of(*task);
  std::vector<TrivialAnswer> trivial;
  if (reference != nullptr) {
    KE_TRY(const auto findings, examine_reference(*task, *reference));
    if (findings.refusal) {  // kernels are not at fault if the reference's answers are refused
      admission.problems.push_back(*findings.refusal);
      return admission;
    }
    trivial = findings.trivial;
  }
  KE_TRY_VOID(judge_all(task, start, admission));
  doubt_reference(*task, admission);
  for (const TrivialAnswer& answer : trivial) add_trivial(answer, admission);
  return admission;
}

Result<Admission> compile_kernels(const Task& task, Evaluator& compiler) {
  Admission admission;
  admission.judged = false;
  admission.notes = notes_of(task);
  const JobMaker jobs(compiler.info(), task.content_hash);
  for (const auto& [name, source] : task.kernels) {
    KE_TRY(const Fact fact, ask(compiler, jobs.build(kernel_of(task, name, source))));
    admission.lines.push_back(
        {name, false, fact.verdict, fact.message.empty() ? fact.reason : fact.message});
    if (fact.verdict == Verdict::ok) continue;
    admission.problems.push_back(
        fmt::format("kernel '{}' does not compile: {}", name, admission.lines.back().detail));
  }
  return admission;
}

}  // namespace ke
