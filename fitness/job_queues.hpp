#pragma once
// Base of evaluators with a compile pool and lanes, and their queues: a job waits for its build,
// then for a lane; its fact waits to be polled.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/evaluation.hpp"
#include "core/evaluator.hpp"
#include "core/job.hpp"
#include "core/result.hpp"
#include "fitness/build_outcome.hpp"
#include "fitness/judging/feedback.hpp"
#include "fitness/task.hpp"
#include "fitness/timing/clock.hpp"

namespace ke {

/// A fact with verdict `lost`: the machine failed, not the candidate.
Fact lost_fact(const Digest& key, const Error& error);
inline constexpr std::string_view unserved_need = "this evaluator cannot serve the need";
/// Error: the job needs something beyond the capabilities; `refusal` begins its message.
Result<void> check_needs(const Job& job, const std::vector<std::string>& capabilities,
                         std::string_view refusal = "this machine does not offer");
/// Duels go before screens, because the search's next step depends on them. Smaller goes first.
int urgency(JobKind kind);

/// Thread-safe. `Arms` is what the compile pool builds for the lane. close() releases every thread
/// that waits in next_waiting() or next_ready().
template <class Arms>
class JobQueues {
 public:
  /// A job whose builds are done.
  struct Ready {
    Job job;
    Arms arms;
    Fact fact;
  };

  /// Ignores a job that is queued or running, or whose fact waits to be polled.
  void submit(const Job& job) {
    {
      const std::lock_guard lock(mutex_);
      if (std::ranges::find(facts_, job.key, &Fact::key) != facts_.end()) return;
      if (!flying_.insert(job.key).second) return;
      waiting_.push_back(job);
    }
    wake_.notify_all();
  }

  std::vector<Fact> poll(std::chrono::milliseconds wait) {
    std::unique_lock lock(mutex_);
    answered_.wait_for(lock, wait, [this] { return !facts_.empty(); });
    return std::exchange(facts_, {});
  }

  void cancel(const Digest& key) {
    const std::lock_guard lock(mutex_);
    flying_.erase(key);
    std::erase_if(waiting_, [&](const Job& job) { return job.key == key; });
    std::erase_if(ready_, [&](const auto& one) { return one.second.job.key == key; });
    std::erase_if(facts_, [&](const Fact& fact) { return fact.key == key; });
  }

  /// For the compile pool: blocks until a job waits. nullopt = closing.
  std::optional<Job> next_waiting() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
    if (closing_) return std::nullopt;
    const auto next =
        std::ranges::min_element(waiting_, {}, [](const Job& job) { return urgency(job.kind); });
    Job job = std::move(*next);
    waiting_.erase(next);
    return job;
  }

  /// Drops the job if it was cancelled meanwhile.
  void hand_over(Ready ready) {
    {
      const std::lock_guard lock(mutex_);
      if (!flying_.contains(ready.job.key)) return;
      ready_.emplace_back(next_number_++, std::move(ready));
    }
    wake_.notify_all();
  }

  /// For lanes: blocks until a job is ready. nullopt = closing.
  std::optional<Ready> next_ready() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return closing_ || !ready_.empty(); });
    if (closing_) return std::nullopt;
    const auto next = std::ranges::min_element(ready_, {}, [](const auto& one) {
      return std::pair(urgency(one.second.job.kind), one.first);
    });
    Ready ready = std::move(next->second);
    ready_.erase(next);
    return ready;
  }

  /// Drops the fact if its job was cancelled meanwhile.
  void answer(Fact fact) {
    {
      const std::lock_guard lock(mutex_);
      if (flying_.erase(fact.key) == 0) return;
      facts_.push_back(std::move(fact));
    }
    answered_.notify_all();
  }

  void close() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    wake_.notify_all();
  }

  /// Long work on the lane polls this flag and ends early.
  const std::atomic<bool>& closing() const { return closing_; }

 private:
  std::mutex mutex_;
  std::condition_variable wake_, answered_;
  std::atomic<bool> closing_{false};
  std::set<Digest> flying_;
  std::deque<Job> waiting_;
  std::vector<std::pair<std::uint64_t, Ready>> ready_;  ///< with their order of arrival
  std::uint64_t next_number_ = 0;
  std::vector<Fact> facts_;
};

/// The loop of a lane: judges ready jobs with `judge(job, arms, fact)`, a Result<void>, until the
/// queues close. Each job goes to exactly one lane.
template <class Arms, class Judge>
void serve_ready(JobQueues<Arms>& queues, Judge judge) {
  while (auto ready = queues.next_ready()) {
    const Result<void> done = judge(ready->job, ready->arms, ready->fact);
    queues.answer(done ? std::move(ready->fact) : lost_fact(ready->job.key, done.error()));
  }
}

/// Receives jobs and delivers facts through queues that the derived class's threads serve. A
/// derived class starts its threads once everything that they use exists, and stops them first in
/// its destructor.
template <class Arms, class Base = Evaluator>
class QueuedEvaluator : public Base {
 public:
  const EvaluatorInfo& info() const override { return info_; }

  Result<void> submit(const Job& job) override {
    KE_TRY_VOID(check_needs(job, info_.capabilities));
    queues_.submit(job);
    return {};
  }

  std::vector<Fact> poll(std::chrono::milliseconds wait) override { return queues_.poll(wait); }
  void cancel(const Digest& key) override { queues_.cancel(key); }

 protected:
  /// The loop of a compile thread; for the arguments see prepare_job.
  template <class Build, class Sanitize>
  void prepare_jobs(const Task& task, Build build, Sanitize sanitize) {
    while (auto job = queues_.next_waiting()) {
      prepare_job(queues_, *std::move(job), task, build, sanitize);
    }
  }
  void stop_threads() {
    queues_.close();
    for (std::thread& thread : threads_) thread.join();
  }

  EvaluatorInfo info_;
  JobQueues<Arms> queues_;
  std::vector<std::thread> threads_;
};

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
  return Error{Failure::config, "the opponent '" + opponent.name + "' does not build: " +
                                    arms.opponent->reason + " " + arms.opponent->message};
}

/// For devices whose opponents are kernels of the search or of the task.
template <class Built, class Build>
Result<JobArms<Built>> build_arms(const Job& job, const Task& task, Build build) {
  return build_arms<Built>(job, build,
                           [&](const Opponent& opponent) -> Result<std::shared_ptr<const Built>> {
                             KE_TRY(const Kernel kernel, resolve_opponent(opponent, task));
                             return build(kernel);
                           });
}

/// The sanitizer run of a device without sanitizers.
inline auto no_sanitizer(std::string_view where) {
  return [where](const Job&, Fact& fact) -> Result<void> {
    fact.message = std::string("not_applicable: no sanitizer for ").append(where);
    return {};
  };
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
