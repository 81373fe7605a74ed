#pragma once
// What evaluators with a compile pool beside lanes have in common.

#include <thread>
#include <vector>

#include "core/evaluator.hpp"
#include "fitness/job_queues.hpp"

namespace ke {

/// Jobs come and facts go through queues that its threads serve. Whoever derives from it starts
/// the threads when all that they use is there, and stops them first of all when it ends.
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
