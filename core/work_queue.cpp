#include "core/work_queue.hpp"

#include <fmt/format.h>

namespace ke {

Fact abandoned_fact(const Digest& key, std::int64_t attempts) {
  Fact fact;
  fact.key = key;
  fact.verdict = Verdict::lost;
  fact.reason = abandoned_job;
  fact.message = fmt::format("{} workers took this job and went away without an answer", attempts);
  return fact;
}

}  // namespace ke
