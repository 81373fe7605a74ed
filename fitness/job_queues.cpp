#include "fitness/job_queues.hpp"

#include <fmt/format.h>

#include "core/knob_space.hpp"

namespace ke {

Fact lost_fact(const Digest& key, const Error& error) {
  Fact fact;
  fact.key = key;
  fact.verdict = Verdict::lost;
  fact.reason = error.failure == Failure::reference ? reference_failed : "machine";
  fact.message = error.message;
  return fact;
}

Result<void> check_needs(const Job& job, const std::vector<std::string>& capabilities,
                         std::string_view refusal) {
  for (const std::string& need : job.needs) {
    if (std::ranges::find(capabilities, need) != capabilities.end()) continue;
    return Error{Failure::device, fmt::format("{} '{}'", refusal, need)};
  }
  return {};
}

int urgency(JobKind kind) { return kind == JobKind::duel ? 0 : kind == JobKind::verify ? 1 : 2; }

Result<Kernel> resolve_opponent(const Opponent& opponent, const Task& task) {
  if (opponent.kernel) return *opponent.kernel;
  const std::string* source = task.kernel_source(opponent.name);
  if (source == nullptr) {
    return Error{Failure::config,
                 fmt::format("task '{}' has no kernel '{}'", task.name, opponent.name)};
  }
  KE_TRY(const KernelSpace space, parse_kernel_space(opponent.name, *source));
  Kernel kernel = space.defaults(opponent.name, *source);
  kernel.language = task.language_of(opponent.name);
  return kernel;
}

}  // namespace ke
