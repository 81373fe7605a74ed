#include "fitness/judging/judgement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fitness/judging/feedback.hpp"
#include "fitness/timing/clock.hpp"

namespace ke {
namespace {

constexpr int most_checks = 3;  // repeated when contents are too hard, or a worker was killed

bool has_unbounded_misses(const Tolerance& tolerance) {
  return tolerance.matched_ratio < 1 && std::isinf(tolerance.max_error);
}

/// The job's workloads in the task's order.
std::vector<const Workload*> timed_workloads(const Task& task, const Job& job) {
  std::vector<const Workload*> list;
  for (const Workload& workload : task.workloads) {
    if (is_timed(job, workload)) list.push_back(&workload);
  }
  return list;
}

}  // namespace

bool is_timed(const Job& job, const Workload& workload) {
  const auto named = [&](const std::string& word) {
    return word == to_string(workload.role) || word == workload.label;
  };
  return std::ranges::any_of(job.roles, named);
}

std::vector<const Workload*> checked_workloads(const Task& task, Thoroughness thoroughness,
                                               SecretRandom& random) {
  std::vector<const Workload*> list, others;
  for (const Workload& workload : task.workloads) {
    const bool always = workload.role == Role::test || workload.role == Role::bench;
    (always || thoroughness == Thoroughness::full ? list : others).push_back(&workload);
  }
  if (!others.empty()) list.push_back(others[random.below(others.size())]);
  return list;
}

Result<void> Judgement::run(const Compare& compare) {
  const std::int64_t wall = now_ns(), cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  KE_TRY_VOID(judge(compare));
  const bool said = fact_.verdict == Verdict::ok && job_.kind != JobKind::duel;
  if (said && has_unbounded_misses(device_.task().tolerance)) {
    fact_.policy_flags.push_back(
        fmt::format("unbounded_misses: up to {:g} % of the elements may be off by any amount",
                    100 * (1 - device_.task().tolerance.matched_ratio)));
  }
  fact_.feedback = feedback();  // for every outcome, disturbed and lost jobs included
  fact_.cost.lane_ns = now_ns() - wall;
  fact_.cost.judge_cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
  return {};
}

// One call tells whether an opponent runs at all. Contents that are too hard for it say nothing.
Result<void> Judgement::probe() {
  constexpr int most_contents = 3;
  const auto on = timed_workloads(device_.task(), job_);
  if (on.empty()) return Error{Failure::config, "no workload has a role of this job"};
  std::optional<Finding> finding;
  for (int tried = 0; tried < most_contents; ++tried) {
    KE_TRY(FreshContent content, device_.content(*on.front()));
    KE_TRY(finding, device_.call(1, {*on.front(), std::move(content)}));
    if (!finding || !finding->mismatch) break;
  }
  if (finding && finding->mismatch) {
    finding->message = "its own answers are outside of the task's tolerance: " + finding->message;
  }
  if (!passes({std::nullopt, std::move(finding)})) return {};
  fact_.verdict = Verdict::ok;
  KE_TRY(fact_.measures[call_ns_measure], device_.opponent_ns(*on.front()));
  return {};
}

Result<void> Judgement::judge(const Compare& compare) {
  if (job_.kind == JobKind::probe) return probe();
  // Verify a champion in a process that earlier kernels cannot have prepared.
  if (job_.kind == JobKind::verify) device_.renew_process();
  // Duellists passed the check of their screen, and the duel compares their timed outputs too.
  if (job_.kind != JobKind::duel) KE_TRY_VOID(check());
  if (finding_) return {};
  if (job_.roles.empty()) {
    fact_.verdict = Verdict::ok;
    return {};
  }
  const auto on = timed_workloads(device_.task(), job_);
  if (on.empty()) return Error{Failure::config, "no workload has a role of this job"};
  return compare(on);
}

Result<void> Judgement::check() {
  const bool full = job_.roles.empty() || job_.kind == JobKind::verify;
  for (int tried = 0; tried < most_checks; ++tried) {
    KE_TRY(report_, device_.check(full ? Thoroughness::full : Thoroughness::sampled));
    flag_unchecked(report_.unchecked_registers);
    // Something outside killed the worker; that says nothing about the kernel.
    if (report_.finding && report_.finding->verdict == Verdict::lost) continue;
    if (!report_.wrong) break;
    KE_TRY(const bool guilty, is_the_kernels_fault(*report_.finding, *report_.wrong));
    if (guilty) break;
  }
  if (report_.finding) refuse(*report_.finding);
  return {};
}

// A call that is wrong once and right for the same inputs depends on more than its inputs.
Result<bool> Judgement::is_the_kernels_fault(Finding& finding, const WrongCall& wrong) {
  KE_TRY(const auto again, device_.call(0, wrong));
  if (!again) {
    finding.verdict = Verdict::nondeterministic;
    finding.reason = "right_when_repeated";
    return true;
  }
  KE_TRY(const bool hard, is_too_hard(wrong));
  return !hard;
}

// Rarely, nearly all of a result cancels out, so that no kernel is within the tolerance. Contents
// where the task's own kernel fails too prove nothing, on any device. In a task without kernels the
// module itself, run by PyTorch, is that kernel. Kernels of the search are no authority here, and
// libraries behind other trusted baselines may treat odd inputs by other rules.
Result<bool> Judgement::is_too_hard(const WrongCall& wrong) {
  const BuildOutcome* const opponent = judged_.opponent;
  if (opponent == nullptr || job_.opponent->name.empty()) return false;
  if (opponent->trusted && !device_.task().kernels.empty()) return false;
  KE_TRY(const auto finding, device_.call(1, wrong));
  return finding && finding->mismatch;
}

bool Judgement::passes(const ArmFindings& findings) {
  if (findings.challenger) {
    report_ = {};  // the check's figures belong to other calls
    refuse(*findings.challenger);
  } else if (findings.opponent) {
    // A failing opponent says nothing about the candidate.
    fact_.verdict = Verdict::lost;
    fact_.reason = "opponent_failed";
    fact_.message = "the opponent failed: " + findings.opponent->message;
  }
  return !findings.challenger && !findings.opponent;
}

void Judgement::refuse(const Finding& finding) {
  finding_ = finding;
  fact_.verdict = finding.verdict;
  fact_.reason = finding.reason;
  fact_.message = finding.message;
  if (!finding.workload.empty() && !finding.mismatch) {
    fact_.message += fmt::format(" ({}; {}; placement {}; call {})", finding.workload,
                                 finding.inputs, finding.placement, finding.call);
  }
}

void Judgement::flag_unchecked(bool unchecked) {
  const std::string flag = "unchecked_registers";
  if (unchecked && std::ranges::find(fact_.policy_flags, flag) == fact_.policy_flags.end())
    fact_.policy_flags.push_back(flag);
}

std::string Judgement::feedback() const {
  const std::string name = job_.opponent ? job_.opponent->name : "";
  return feedback_of({&fact_, &judged_.candidate, finding_ ? &*finding_ : nullptr, report_.margin,
                      &device_.task(), name.empty() ? "incumbent" : name, &report_.preparation_ns});
}

}  // namespace ke
