#include "fitness/pure_evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <thread>

namespace ke {
namespace {

Result<void> check_needs(const EvaluatorInfo& info, const Job& job) {
  for (const auto& need : job.needs) {
    if (std::find(info.capabilities.begin(), info.capabilities.end(), need) ==
        info.capabilities.end()) {
      return Error{Failure::device, fmt::format("this evaluator cannot serve the need '{}'", need)};
    }
  }
  return {};
}

class InlineEvaluator final : public Evaluator {
 public:
  InlineEvaluator(EvaluatorInfo info, std::function<Fact(const Job&)> answer)
      : info_(std::move(info)), answer_(std::move(answer)) {}

  const EvaluatorInfo& info() const override { return info_; }
  Result<void> submit(const Job& job) override {
    KE_TRY_VOID(check_needs(info_, job));
    const bool joined = std::any_of(finished_.begin(), finished_.end(),
                                    [&](const Fact& fact) { return fact.key == job.key; });
    if (!joined) finished_.push_back(answer_(job));
    return {};
  }
  std::vector<Fact> poll(std::chrono::milliseconds) override {
    return std::exchange(finished_, {});
  }
  void cancel(const Digest& key) override {
    std::erase_if(finished_, [&](const Fact& fact) { return fact.key == key; });
  }

 private:
  EvaluatorInfo info_;
  std::function<Fact(const Job&)> answer_;
  std::vector<Fact> finished_;
};

class ThreadedEvaluator final : public Evaluator {
 public:
  ThreadedEvaluator(EvaluatorInfo info, std::function<Fact(const Job&)> answer)
      : info_(std::move(info)), answer_(std::move(answer)) {
    for (std::int64_t i = 0; i < info_.lanes; ++i) lanes_.emplace_back([this] { work(); });
  }
  ~ThreadedEvaluator() override {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    wake_.notify_all();
    for (auto& lane : lanes_) lane.join();
  }

  const EvaluatorInfo& info() const override { return info_; }

  Result<void> submit(const Job& job) override {
    KE_TRY_VOID(check_needs(info_, job));
    const std::lock_guard lock(mutex_);
    if (!known_.insert(job.key).second) return {};
    queue_.push_back(job);
    wake_.notify_one();
    return {};
  }

  std::vector<Fact> poll(std::chrono::milliseconds wait) override {
    std::unique_lock lock(mutex_);
    if (!known_.empty()) done_.wait_for(lock, wait, [this] { return !finished_.empty(); });
    std::vector<Fact> facts;
    for (Fact& fact : finished_) {
      if (known_.erase(fact.key) > 0) facts.push_back(std::move(fact));
    }
    finished_.clear();
    return facts;
  }

  void cancel(const Digest& key) override {
    const std::lock_guard lock(mutex_);
    known_.erase(key);
    std::erase_if(queue_, [&](const Job& job) { return job.key == key; });
    std::erase_if(finished_, [&](const Fact& fact) { return fact.key == key; });
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return closing_ || !queue_.empty(); });
      if (closing_) return;
      const Job job = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      Fact fact = answer_(job);
      lock.lock();
      finished_.push_back(std::move(fact));
      done_.notify_one();
    }
  }

  EvaluatorInfo info_;
  std::function<Fact(const Job&)> answer_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::deque<Job> queue_;
  std::vector<Fact> finished_;
  std::set<Digest> known_;
  bool closing_ = false;
  std::vector<std::thread> lanes_;
};

}  // namespace

std::unique_ptr<Evaluator> make_pure_evaluator(EvaluatorInfo info,
                                               std::function<Fact(const Job&)> answer) {
  if (info.lanes > 1) {
    return std::make_unique<ThreadedEvaluator>(std::move(info), std::move(answer));
  }
  return std::make_unique<InlineEvaluator>(std::move(info), std::move(answer));
}

}  // namespace ke
