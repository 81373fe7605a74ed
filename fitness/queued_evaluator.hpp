#pragma once
// The common base of evaluators that have a compile pool and lanes.

#include <thread>
#include <vector>

#include "core/evaluator.hpp"
#include "fitness/job_queues.hpp"

namespace ke {

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
