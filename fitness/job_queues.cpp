#include "fitness/job_queues.hpp"

namespace ke {
Fact lost_fact(const Digest& key, const Error& error) {
  Fact fact;
  fact.key = key;
  fact.verdict = Verdict::lost;
  fact.reason = error.failure == Failure::reference ? reference_failed : "machine";
  fact.message = error.message;
  return fact;
}

Result<void> check_needs(const Job& job, const std::vector<std::string>& capabilities) {
  for (const std::string& need : job.needs) {
    if (std::ranges::find(capabilities, need) == capabilities.end())
      return Error{Failure::device, "this machine does not offer '" + need + "'"};
  }
  return {};
}

int urgency(JobKind kind) { return kind == JobKind::duel ? 0 : kind == JobKind::verify ? 1 : 2; }

}  // namespace ke
