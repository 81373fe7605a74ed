#pragma once
// Several devices of one machine as one evaluator.

#include <deque>
#include <memory>
#include <set>
#include <vector>

#include "core/evaluator.hpp"

namespace ke {

/// Gives each job to the device that it names. Builds go on side by side; measurements of two
/// devices never do, since they would disturb each other: one device has the turn until all that it
/// was given is answered and another one waits. Facts do not depend on the order of turns.
class DeviceRouter final : public Evaluator {
 public:
  /// At least one; `Job::device` is a position in the list.
  explicit DeviceRouter(std::vector<std::unique_ptr<Evaluator>> evaluators);

  /// Of the first device.
  const EvaluatorInfo& info() const override { return device_info(0); }
  const EvaluatorInfo& device_info(std::size_t device) const override;
  Result<void> submit(const Job& job) override;
  std::vector<Fact> poll(std::chrono::milliseconds wait) override;
  void cancel(const Digest& key) override;

 private:
  struct Device {
    std::unique_ptr<Evaluator> evaluator;
    std::deque<Job> waiting = {};     ///< measurements before their turn
    std::set<Digest> measuring = {};  ///< given to the evaluator in its turn
  };

  bool others_wait() const;
  void pass_turn();
  void collect(Device& device, std::chrono::milliseconds wait, std::vector<Fact>& facts);

  std::vector<Device> devices_;
  std::size_t turn_ = 0;
  std::vector<Fact> refused_;  ///< of jobs that an evaluator did not take in their turn
};

}  // namespace ke
