#include "fitness/pure_evaluator.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "fitness/job_queues.hpp"

namespace ke {
namespace {

class InlineEvaluator final : public Evaluator {
 public:
  InlineEvaluator(EvaluatorInfo info, std::function<Fact(const Job&)> answer)
      : info_(std::move(info)), answer_(std::move(answer)) {}

  const EvaluatorInfo& info() const override { return info_; }
  Result<void> submit(const Job& job) override {
    KE_TRY_VOID(check_needs(job, info_.capabilities, unserved_need));
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

/// The same in info.lanes threads.
class ThreadedEvaluator final : public QueuedEvaluator<std::monostate> {
 public:
  ThreadedEvaluator(EvaluatorInfo info, std::function<Fact(const Job&)> answer) {
    info_ = std::move(info);
    for (std::int64_t i = 0; i < info_.lanes; ++i) {
      threads_.emplace_back([this, answer] {
        while (const auto job = queues_.next_waiting()) queues_.answer(answer(*job));
      });
    }
  }
  ~ThreadedEvaluator() override { stop_threads(); }

  Result<void> submit(const Job& job) override {
    KE_TRY_VOID(check_needs(job, info_.capabilities, unserved_need));
    queues_.submit(job);
    return {};
  }
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
