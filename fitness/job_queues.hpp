#pragma once
// The queues of an evaluator with a compile pool beside its lanes: jobs wait for their builds, then
// for a lane, and their facts for whoever polls.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/evaluation.hpp"
#include "core/job.hpp"
#include "core/result.hpp"

namespace ke {

/// Verdict `lost`: the machine's doing, not the candidate's.
Fact lost_fact(const Digest& key, const Error& error);
/// Error: a need that the machine does not offer.
Result<void> check_needs(const Job& job, const std::vector<std::string>& capabilities);
/// Duels decide what the search does next; screens only feed it. Smaller goes first.
int urgency(JobKind kind);

/// Thread-safe. `Arms`: what the compile pool makes for the lane. Whoever waits in next_ is let go
/// by close().
template <class Arms>
class JobQueues {
 public:
  /// A job whose builds are there.
  struct Ready {
    Job job;
    Arms arms;
    Fact fact;
  };

  /// A job that is under way already is not taken twice.
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

  /// For the compile pool. Nothing = closing.
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

  /// Dropped when it was cancelled meanwhile.
  void hand_over(Ready ready) {
    {
      const std::lock_guard lock(mutex_);
      if (!flying_.contains(ready.job.key)) return;
      ready_.emplace_back(next_number_++, std::move(ready));
    }
    wake_.notify_all();
  }

  /// For lanes. Nothing = closing.
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

  /// Dropped when it was cancelled meanwhile.
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

  /// For long work on the lane, which ends early then.
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

/// A lane: judges what is ready with `judge(job, arms, fact)`, a Result<void>, until the queues
/// close. With several lanes each job is one lane's alone.
template <class Arms, class Judge>
void serve_ready(JobQueues<Arms>& queues, Judge judge) {
  while (auto ready = queues.next_ready()) {
    const Result<void> done = judge(ready->job, ready->arms, ready->fact);
    queues.answer(done ? std::move(ready->fact) : lost_fact(ready->job.key, done.error()));
  }
}

}  // namespace ke
