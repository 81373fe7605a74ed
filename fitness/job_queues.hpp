#pragma once
// The queues of an evaluator with a compile pool and lanes: a job waits for its build, then for a
// lane; its fact waits to be polled.
// The common base of evaluators that have a compile pool and lanes.

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

namespace ke {

/// A fact with verdict `lost`: the machine failed, not the candidate.
Fact lost_fact(const Digest& key, const Error& error);
/// Error: the job needs something that this machine does not offer.
Result<void> check_needs(const Job& job, const std::vector<std::string>& capabilities);
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

  /// Ignores a job that is already queued or running.
  void submit(const Job& job) {
    {
      const std::lock_guard lock(mutex_);
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
  void stop_threads() {
    queues_.close();
    for (std::thread& thread : threads_) thread.join();
  }

  EvaluatorInfo info_;
  JobQueues<Arms> queues_;
  std::vector<std::thread> threads_;
};

}  // namespace ke
