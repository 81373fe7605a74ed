#include "core/memory/memory_work_queue.hpp"

#include <algorithm>
#include <utility>

namespace ke {
namespace {

bool can_do(const Job& job, const std::vector<std::string>& capabilities) {
  return std::all_of(job.needs.begin(), job.needs.end(), [&](const std::string& need) {
    return std::find(capabilities.begin(), capabilities.end(), need) != capabilities.end();
  });
}

}  // namespace

Result<void> MemoryWorkQueue::push(const Job& job) {
  if (known_.insert(job.key).second) waiting_.emplace(next_age_++, Entry{job, 0, Time{0}});
  return {};
}

Result<std::optional<Lease>> MemoryWorkQueue::claim(const std::vector<std::string>& capabilities,
                                                    Time now, Time lease) {
  abandon(now);
  for (auto& [age, entry] : waiting_) {
    const bool free = entry.lease_id == 0 || entry.until <= now;
    if (!free || !can_do(entry.job, capabilities)) continue;
    entry.lease_id = next_lease_++;
    entry.until = now + lease;
    ++entry.attempts;
    return std::optional{Lease{entry.lease_id, entry.job}};
  }
  return std::optional<Lease>{};
}

void MemoryWorkQueue::abandon(Time now) {
  std::erase_if(waiting_, [&](const auto& item) {
    const Entry& entry = item.second;
    const bool dead = entry.lease_id != 0 && entry.until <= now && entry.attempts >= most_attempts_;
    if (dead) finished_.push_back(abandoned_fact(entry.job.key, entry.attempts));
    return dead;
  });
}

MemoryWorkQueue::Entry* MemoryWorkQueue::leased(std::int64_t lease_id, Time now) {
  for (auto& [age, entry] : waiting_) {
    if (entry.lease_id == lease_id && entry.until > now) return &entry;
  }
  return nullptr;
}

Result<bool> MemoryWorkQueue::heartbeat(std::int64_t lease_id, Time now, Time lease) {
  Entry* entry = leased(lease_id, now);
  if (entry == nullptr) return false;
  entry->until = now + lease;
  return true;
}

Result<bool> MemoryWorkQueue::complete(std::int64_t lease_id, const Fact& fact, Time now) {
  const Entry* entry = leased(lease_id, now);
  if (entry == nullptr) return false;
  if (fact.reason == reference_failed) known_.erase(entry->job.key);
  std::erase_if(waiting_, [&](const auto& item) { return item.second.lease_id == lease_id; });
  finished_.push_back(fact);
  return true;
}

Result<bool> MemoryWorkQueue::give_back(std::int64_t lease_id) {
  for (auto& [age, entry] : waiting_) {
    if (entry.lease_id != lease_id) continue;
    entry.lease_id = 0;
    --entry.attempts;
    return true;
  }
  return false;
}

Result<std::vector<Fact>> MemoryWorkQueue::take_finished() { return std::exchange(finished_, {}); }

Result<void> MemoryWorkQueue::cancel(const Digest& key) {
  const auto gone =
      std::erase_if(waiting_, [&](const auto& item) { return item.second.job.key == key; });
  if (gone > 0) known_.erase(key);
  return {};
}

}  // namespace ke
