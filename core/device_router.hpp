#pragma once
// Presents several devices of one machine as one evaluator.

#include <deque>
#include <memory>
#include <set>
#include <vector>

#include "core/evaluator.hpp"

namespace ke {

/// Sends each job to its device. Builds run concurrently; measurements on two devices never do,
/// since they would disturb each other: one device holds the turn until all its submitted jobs are
/// answered and another device waits. Facts do not depend on the order of turns.
class DeviceRouter final : public Evaluator {
 public:
  /// At least one evaluator; `Job::device` is an index into the list.
  explicit DeviceRouter(std::vector<std::unique_ptr<Evaluator>> evaluators);

  /// Answers for the first device.
  const EvaluatorInfo& info() const override { return device_info(0); }
  const EvaluatorInfo& device_info(std::size_t device) const override;
  Result<void> submit(const Job& job) override;
  std::vector<Fact> poll(std::chrono::milliseconds wait) override;
  void cancel(const Digest& key) override;

 private:
  struct Device {
    std::unique_ptr<Evaluator> evaluator;
    std::deque<Job> waiting = {};     ///< measurements queued until the device's turn
    std::set<Digest> measuring = {};  ///< measurements submitted to the evaluator during the turn
  };

  bool others_wait() const;
  void pass_turn();
  void collect(Device& device, std::chrono::milliseconds wait, std::vector<Fact>& facts);

  std::vector<Device> devices_;
  std::size_t turn_ = 0;
  std::vector<Fact> refused_;  ///< facts of jobs that an evaluator refused
};

}  // namespace ke
