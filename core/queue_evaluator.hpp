#pragma once
// An evaluator whose jobs are answered by workers of a queue.

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/evaluator.hpp"
#include "core/work_queue.hpp"

namespace ke {

/// The capability of workers that measure on a device of a run: a run with several devices has one
/// queue.
std::string device_capability(std::size_t device);
/// The job as an evaluator takes it: without that need.
Job without_device_need(Job job);

/// Asks the queue for facts after pauses that grow from 1 to 25 ms while none comes.
class QueueEvaluator final : public Evaluator {
 public:
  using Wait = std::function<void(std::chrono::milliseconds)>;

  /// One entry of `devices` for each device of the run. `queue` must outlive this object.
  QueueEvaluator(std::vector<EvaluatorInfo> devices, WorkQueue& queue, Wait wait)
      : devices_(std::move(devices)), queue_(queue), wait_(std::move(wait)) {}

  const EvaluatorInfo& info() const override { return device_info(0); }
  const EvaluatorInfo& device_info(std::size_t device) const override {
    return devices_.at(device);
  }
  Result<void> submit(const Job& job) override;
  std::vector<Fact> poll(std::chrono::milliseconds wait) override;
  void cancel(const Digest& key) override;
  Result<void> health() const override { return health_; }
  /// Jobs without an answer.
  std::size_t open() const { return open_.size(); }

 private:
  std::vector<Fact> take();

  std::vector<EvaluatorInfo> devices_;
  WorkQueue& queue_;
  Wait wait_;
  std::set<Digest> open_;
  Result<void> health_;
  std::chrono::milliseconds pause_{1};
};

}  // namespace ke
