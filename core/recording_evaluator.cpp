#include "core/recording_evaluator.hpp"

#include <utility>

namespace ke {

Result<void> RecordingEvaluator::submit(Job&& job) {
  KE_TRY(std::optional<Fact> known, facts_.find(job.key));
  if (known) {
    ready_.push_back(*std::move(known));
    return {};
  }
  if (in_flight_.contains(job.key)) return {};
  KE_TRY_VOID(inner_.submit(job));
  ++asked_;
  const Digest key = job.key;
  in_flight_.emplace(key, std::move(job));
  return {};
}

std::vector<Fact> RecordingEvaluator::poll(std::chrono::milliseconds wait) {
  std::vector<Fact> facts = std::exchange(ready_, {});
  if (!facts.empty()) wait = std::chrono::milliseconds(0);
  if (in_flight_.empty()) return facts;
  for (Fact& fact : inner_.poll(wait)) {
    const auto job = in_flight_.find(fact.key);
    if (job == in_flight_.end()) continue;  // cancelled in the meantime
    if (fact.reason == reference_failed) {
      health_ = end_with(job->second, std::move(fact));
      return {};
    }
    health_ = facts_.append(job->second, fact);
    if (!health_) return {};
    in_flight_.erase(job);
    facts.push_back(std::move(fact));
  }
  if (health_) health_ = inner_.health();
  return facts;
}

// Stored under a separate key, so that a later session, whose task may give the reference more
// time, submits the job again.
Result<void> RecordingEvaluator::end_with(Job job, Fact fact) {
  Encoder key;
  key(reference_failed)(fact.key);
  job.key = fact.key = key.digest();
  KE_TRY_VOID(facts_.append(job, fact));
  return Error{Failure::reference, fact.message + "; 'resume' goes on where the run is"};
}

void RecordingEvaluator::cancel(const Digest& key) {
  if (in_flight_.erase(key) > 0) inner_.cancel(key);
}

}  // namespace ke
