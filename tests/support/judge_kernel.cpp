#include "tests/support/judge_kernel.hpp"

#include <algorithm>
#include <cmath>

#include "core/knob_space.hpp"

namespace ke {
namespace {

Job job_for(const EvalRequest& request, JobKind kind, std::vector<std::string> roles) {
  Job job;
  job.kind = kind;
  job.kernel = request.kernel;
  job.opponent = request.against;
  job.roles = std::move(roles);
  Encoder key;
  key("eval/1")(kind)(request.kernel)(request.against)(job.roles);
  job.key = key.digest();
  return job;
}

EvalReport report_of(Fact fact) {
  EvalReport report;
  report.verdict = fact.verdict;
  report.reason = std::move(fact.reason);
  report.message = std::move(fact.message);
  report.diagnostics = std::move(fact.diagnostics);
  report.policy_flags = std::move(fact.policy_flags);
  report.feedback = std::move(fact.feedback);
  report.comparison = std::move(fact.comparison);
  if (!report.comparison || report.comparison->workloads.empty()) return report;
  report.speedup = report.comparison->speedup;
  report.ci = report.comparison->ci;
  double candidate = 0, baseline = 0;
  for (const WorkloadTiming& timing : report.comparison->workloads) {
    candidate += std::log(std::max(timing.candidate_ns, 1.0));
    baseline += std::log(std::max(timing.opponent_ns, 1.0));
  }
  const auto count = static_cast<double>(report.comparison->workloads.size());
  report.candidate_ns = std::exp(candidate / count);
  report.baseline_ns = std::exp(baseline / count);
  return report;
}

}  // namespace

Result<Kernel> kernel_of_source(const std::string& name, const std::string& source,
                                const std::vector<std::string>& extra_flags) {
  KE_TRY(const KernelSpace space, parse_kernel_space(name, source));
  Kernel kernel = space.defaults(name, source);
  kernel.flags.insert(kernel.flags.end(), extra_flags.begin(), extra_flags.end());
  return kernel;
}

Result<EvalReport> judge_kernel(CpuEvaluator& evaluator, const EvalRequest& request) {
  if (request.parts == EvalParts::correctness) {
    KE_TRY(Fact fact, evaluator.run_job(job_for(request, JobKind::screen, {})));
    return report_of(std::move(fact));
  }
  // A verification checks every shape itself; timing alone is a duel, which also compares its timed
  // outputs.
  const JobKind kind = request.parts == EvalParts::timing ? JobKind::duel : JobKind::verify;
  KE_TRY(Fact fact, evaluator.run_job(job_for(request, kind, {"bench"})));
  return report_of(std::move(fact));
}

}  // namespace ke
