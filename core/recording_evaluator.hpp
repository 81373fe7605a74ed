#pragma once
// Caches an evaluator in the fact log: known facts are not asked again; new ones are durable before
// use.

#include <unordered_map>
#include <vector>

#include "core/evaluator.hpp"
#include "core/fact_log.hpp"

namespace ke {

/// Answers from `facts` when possible. Verdicts without information on the kernel are stored too.
class RecordingEvaluator final : public Evaluator {
 public:
  /// Both must outlive this object.
  RecordingEvaluator(Evaluator& inner, FactLog& facts) : inner_(inner), facts_(facts) {}

  const EvaluatorInfo& info() const override { return inner_.info(); }
  const EvaluatorInfo& device_info(std::size_t device) const override {
    return inner_.device_info(device);
  }
  Result<void> submit(const Job& job) override { return submit(Job(job)); }
  /// As submit above, without copying the job.
  Result<void> submit(Job&& job);
  std::vector<Fact> poll(std::chrono::milliseconds wait) override;
  void cancel(const Digest& key) override;

  /// The first failure of log, evaluator or reference, if any; the search then stops.
  Result<void> health() const override { return health_; }
  /// Number of jobs that were sent to the evaluator.
  std::int64_t asked() const { return asked_; }

 private:
  Result<void> end_with(Job job, Fact fact);

  Evaluator& inner_;
  FactLog& facts_;
  std::vector<Fact> ready_;
  std::unordered_map<Digest, Job> in_flight_;
  Result<void> health_;
  std::int64_t asked_ = 0;
};

}  // namespace ke
