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

WorkQueue::Time idle_pause(std::int64_t workers, std::int64_t worker, std::int64_t turn) {
  // Successive multiples of 2^64 divided by the golden ratio fill a circle evenly.
  constexpr std::uint64_t step = 0x9E3779B97F4A7C15u;
  const auto place =
      (static_cast<std::uint64_t>(worker) * 31 + static_cast<std::uint64_t>(turn)) * step;
  const auto span = static_cast<std::uint64_t>(workers) + 1;
  return WorkQueue::Time((place >> 32) * span >> 32);
}

}  // namespace ke
