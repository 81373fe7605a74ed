#include "experiments/check/admission.hpp"

#include <fmt/format.h>

#include <map>

#include "core/search/job_maker.hpp"
#include "experiments/check/trivial_kernels.hpp"
#include "experiments/cli/json.hpp"
#include "fitness/content/admit.hpp"

namespace ke {
namespace {

constexpr int least_holdouts = 3;

/// Correctness on every shape, without timing.
Result<Fact> judge_fully(CpuEvaluator& evaluator, const Task& task, const Kernel& kernel) {
  const JobMaker jobs(evaluator.info(), task.content_hash);
  KE_TRY(Fact built, evaluator.run_job(jobs.build(kernel)));
  if (built.verdict != Verdict::ok) return built;
  Job job = jobs.screen(kernel, built.build_hash, 0);
  job.roles.clear();
  return evaluator.run_job(job);
}

/// Largest error used / allowed as the judge recorded it, or -1.
double margin_of(const Fact& fact) {
  const Json feedback = Json::parse(fact.feedback, nullptr, false);
  const bool known = feedback.is_object() && feedback.contains("error_used_of_allowed") &&
                     feedback["error_used_of_allowed"].is_number();
  return known ? feedback["error_used_of_allowed"].get<double>() : -1;
}

Result<void> judge_one(CpuEvaluator& evaluator, const Task& task, const std::string& name,
                       const std::string& source, bool trivial, Admission& admission) {
  Kernel kernel;
  kernel.name = name;
  kernel.source = source;
  if (const auto space = parse_kernel_space(name, source)) kernel = space->defaults(name, source);
  KE_TRY(const Fact fact, judge_fully(evaluator, task, kernel));
  AdmissionLine line{name, trivial, fact.verdict,
                     fact.message.empty() ? fact.reason : fact.message};
  if (!line.as_it_should()) {
    admission.problems.push_back(
        trivial ? fmt::format("the trivial kernel '{}' passes: the tolerance tells nothing", name)
                : fmt::format("kernel '{}' does not pass: {} {}", name, to_string(fact.verdict),
                              line.detail));
  }
  if (name == "naive" && fact.verdict == Verdict::ok) {
    const double margin = margin_of(fact);
    line.detail = fmt::format("error is {:.3g} of the tolerance, at most {} is allowed", margin,
                              admitted_ratio);
    if (margin > admitted_ratio) {
      admission.problems.push_back("the tolerance is below four times the naive kernel's error: " +
                                   line.detail);
    }
  }
  admission.lines.push_back(std::move(line));
  return {};
}

/// Rules that need no judge.
void check_roles(const Task& task, Admission& admission) {
  std::map<Role, int> count;
  for (const Workload& workload : task.workloads) ++count[workload.role];
  for (const Role role : {Role::test, Role::bench, Role::validation}) {
    if (count[role] == 0) {
      admission.problems.push_back(fmt::format("no workload has the role {}", to_string(role)));
    }
  }
  if (count[Role::holdout] < least_holdouts) {
    admission.problems.push_back(fmt::format("{} holdout workloads, at least {} are needed",
                                             count[Role::holdout], least_holdouts));
  }
}

}  // namespace

Result<Admission> admit(const Task& task, CpuEvaluator& evaluator) {
  Admission admission;
  check_roles(task, admission);
  for (const auto& [name, source] : task.kernels) {
    KE_TRY_VOID(judge_one(evaluator, task, name, source, false, admission));
  }
  for (const auto& [name, source] : trivial_kernels(task)) {
    KE_TRY_VOID(judge_one(evaluator, task, name, source, true, admission));
  }
  return admission;
}

}  // namespace ke
