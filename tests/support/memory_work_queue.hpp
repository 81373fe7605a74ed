#pragma once
// A queue of jobs in memory.

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/work_queue.hpp"

namespace ke {

class MemoryWorkQueue final : public WorkQueue {
 public:
  explicit MemoryWorkQueue(int most_attempts = 5) : most_attempts_(most_attempts) {}
  Result<void> push(const Job& job) override;
  Result<std::optional<Lease>> claim(const std::vector<std::string>& capabilities, Time now,
                                     Time lease) override;
  Result<bool> heartbeat(std::int64_t lease_id, Time now, Time lease) override;
  Result<bool> complete(std::int64_t lease_id, const Fact& fact, Time now) override;
  Result<bool> give_back(std::int64_t lease_id) override;
  Result<std::vector<Fact>> take_finished() override;
  Result<void> cancel(const Digest& key) override;

 private:
  struct Entry {
    Job job;
    std::int64_t lease_id = 0;  ///< 0 = not leased
    Time until{0};
    int attempts = 0;
  };
  void abandon(Time now);
  Entry* leased(std::int64_t lease_id, Time now);

  int most_attempts_;
  std::map<std::int64_t, Entry> waiting_;  ///< by age
  std::set<Digest> known_;
  std::vector<Fact> finished_;
  std::int64_t next_age_ = 0;
  std::int64_t next_lease_ = 1;
};

inline bool can_do(const Job& job, const std::vector<std::string>& capabilities) {
  return std::all_of(job.needs.begin(), job.needs.end(), [&](const std::string& need) {
    return std::find(capabilities.begin(), capabilities.end(), need) != capabilities.end();
  });
}

inline Result<void> MemoryWorkQueue::push(const Job& job) {
  if (known_.insert(job.key).second) waiting_.emplace(next_age_++, Entry{job, 0, Time{0}});
  return {};
}

inline Result<std::optional<Lease>> MemoryWorkQueue::claim(
    const std::vector<std::string>& capabilities, Time now, Time lease) {
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

inline void MemoryWorkQueue::abandon(Time now) {
  std::erase_if(waiting_, [&](const auto& item) {
    const Entry& entry = item.second;
    const bool dead = entry.lease_id != 0 && entry.until <= now && entry.attempts >= most_attempts_;
    if (dead) finished_.push_back(abandoned_fact(entry.job.key, entry.attempts));
    return dead;
  });
}

inline MemoryWorkQueue::Entry* MemoryWorkQueue::leased(std::int64_t lease_id, Time now) {
  for (auto& [age, entry] : waiting_) {
    if (entry.lease_id == lease_id && entry.until > now) return &entry;
  }
  return nullptr;
}

inline Result<bool> MemoryWorkQueue::heartbeat(std::int64_t lease_id, Time now, Time lease) {
  Entry* entry = leased(lease_id, now);
  if (entry == nullptr) return false;
  entry->until = now + lease;
  return true;
}

inline Result<bool> MemoryWorkQueue::complete(std::int64_t lease_id, const Fact& fact, Time now) {
  const Entry* entry = leased(lease_id, now);
  if (entry == nullptr) return false;
  if (fact.reason == reference_failed) known_.erase(entry->job.key);
  std::erase_if(waiting_, [&](const auto& item) { return item.second.lease_id == lease_id; });
  finished_.push_back(fact);
  return true;
}

inline Result<bool> MemoryWorkQueue::give_back(std::int64_t lease_id) {
  for (auto& [age, entry] : waiting_) {
    if (entry.lease_id != lease_id) continue;
    entry.lease_id = 0;
    --entry.attempts;
    return true;
  }
  return false;
}

inline Result<std::vector<Fact>> MemoryWorkQueue::take_finished() {
  return std::exchange(finished_, {});
}

inline Result<void> MemoryWorkQueue::cancel(const Digest& key) {
  const auto gone =
      std::erase_if(waiting_, [&](const auto& item) { return item.second.job.key == key; });
  if (gone > 0) known_.erase(key);
  return {};
}

}  // namespace ke
