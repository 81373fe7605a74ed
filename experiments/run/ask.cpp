#include "experiments/run/ask.hpp"

#include <chrono>

namespace ke {

Result<Fact> ask(Evaluator& evaluator, const Job& job) {
  KE_TRY_VOID(evaluator.submit(job));
  for (;;) {
    for (Fact& fact : evaluator.poll(std::chrono::milliseconds(1000))) {
      if (fact.key != job.key) continue;
      KE_TRY_VOID(reference_health(fact));
      return std::move(fact);
    }
  }
}

Result<Fact> ask_reliably(Evaluator& evaluator, Job job, std::string_view purpose) {
  constexpr std::int64_t most_looks = 3;
  const Digest first = job.key;
  for (job.look = 0;; ++job.look) {
    Encoder key;
    key(purpose)(first)(job.look);
    job.key = key.digest();
    KE_TRY(Fact fact, ask(evaluator, job));
    const bool again = is_worth_asking_again(fact.verdict);
    if (!again || job.look + 1 == most_looks) return fact;
  }
}

}  // namespace ke
