#pragma once
// The work of a compile thread on a job, for every backend.

#include <fmt/format.h>

#include <utility>

#include "core/job.hpp"
#include "core/result.hpp"
#include "fitness/build_outcome.hpp"
#include "fitness/job_queues.hpp"
#include "fitness/judging/feedback.hpp"
#include "fitness/task.hpp"
#include "fitness/timing/clock.hpp"

namespace ke {

/// The opponent's kernel: its own source, or a kernel of the task, by name, with default knobs.
/// Error: the task has no kernel of that name.
Result<Kernel> resolve_opponent(const Opponent& opponent, const Task& task);

/// Whether a job goes on to the lane once its kernel is built.
constexpr bool needs_lane(JobKind kind) {
  return kind != JobKind::build && kind != JobKind::sanitize;
}

/// Builds the job's kernel with `build(kernel)` and, where one is needed, its opponent with
/// `build_opponent(opponent)`; both return a shared pointer to a Built. Errors: the machine fails,
/// or the opponent does not build. A probe has one arm, the opponent.
template <class Built, class Build, class BuildOpponent>
Result<JobArms<Built>> build_arms(const Job& job, Build build, BuildOpponent build_opponent) {
  JobArms<Built> arms;
  if (job.kind == JobKind::probe) {
    KE_TRY(arms.opponent, build_opponent(*job.opponent));
    arms.candidate = arms.opponent;
    return arms;
  }
  KE_TRY(arms.candidate, build(job.kernel));
  if (!needs_lane(job.kind) || job.roles.empty()) return arms;
  const Opponent opponent = job.opponent.value_or(Opponent{"anchor", {}});
  KE_TRY(arms.opponent, build_opponent(opponent));
  if (arms.opponent->verdict == Verdict::ok) return arms;
  return Error{Failure::config,
               fmt::format("the opponent '{}' does not build: {} {}", opponent.name,
                           arms.opponent->reason, arms.opponent->message)};
}

/// Builds a job's arms with `build(job)`, a Result<JobArms>. Answers jobs that need no lane:
/// builds, refused kernels and sanitizer runs (`sanitize(job, fact)`, a Result<void>). Hands the
/// rest over to the lane.
template <class Built, class Build, class Sanitize>
void prepare_job(JobQueues<JobArms<Built>>& queues, Job job, const Task& task, Build build,
                 Sanitize sanitize) {
  typename JobQueues<JobArms<Built>>::Ready ready;
  ready.fact.key = job.key;
  const std::int64_t before = now_ns();
  auto arms = build(job);
  if (!arms) return queues.answer(lost_fact(job.key, arms.error()));
  ready.arms = *std::move(arms);
  take_build(*ready.arms.candidate, ready.fact);
  ready.fact.cost.compile_ns = now_ns() - before;  // near 0 for a cached build
  if (job.kind == JobKind::build || ready.fact.verdict != Verdict::ok) {
    ready.fact.feedback =
        feedback_of({&ready.fact, ready.arms.candidate.get(), nullptr, -1, &task, ""});
    return queues.answer(std::move(ready.fact));
  }
  if (job.kind == JobKind::sanitize) {
    const Result<void> done = sanitize(job, ready.fact);
    return queues.answer(done ? std::move(ready.fact) : lost_fact(job.key, done.error()));
  }
  ready.job = std::move(job);
  queues.hand_over(std::move(ready));
}

}  // namespace ke
