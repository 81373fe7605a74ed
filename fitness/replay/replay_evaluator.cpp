#include "fitness/replay/replay_evaluator.hpp"

#include <algorithm>
#include <utility>

namespace ke {
namespace {

class ReplayEvaluator final : public Evaluator {
 public:
  explicit ReplayEvaluator(Recording recording) : recording_(std::move(recording)) {}

  const EvaluatorInfo& info() const override { return recording_.info; }
  const EvaluatorInfo& device_info(std::size_t device) const override {
    return recording_.devices.empty() ? recording_.info : recording_.devices.at(device);
  }

  Result<void> submit(const Job& job) override {
    for (const std::string& need : job.needs) {
      const auto& known = device_info(job.device).capabilities;
      if (std::find(known.begin(), known.end(), need) == known.end()) {
        return Error{Failure::device, "this evaluator cannot serve the need '" + need + "'"};
      }
    }
    const bool joined = std::any_of(ready_.begin(), ready_.end(),
                                    [&](const Fact& fact) { return fact.key == job.key; });
    if (joined) return {};
    KE_TRY(std::optional<Fact> fact, recording_.facts->find(job.key));
    if (!fact) {
      KE_TRY(const std::vector<Job> recorded, recording_.jobs());
      return Error{Failure::replay_miss, describe_miss(job, recorded)};
    }
    ready_.push_back(*std::move(fact));
    return {};
  }
  std::vector<Fact> poll(std::chrono::milliseconds) override { return std::exchange(ready_, {}); }
  void cancel(const Digest& key) override {
    std::erase_if(ready_, [&](const Fact& fact) { return fact.key == key; });
  }

 private:
  Recording recording_;
  std::vector<Fact> ready_;
};

}  // namespace

std::unique_ptr<Evaluator> make_replay_evaluator(Recording recording) {
  return std::make_unique<ReplayEvaluator>(std::move(recording));
}

}  // namespace ke
