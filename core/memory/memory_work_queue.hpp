#pragma once
// A queue of jobs in memory.

#include <map>
#include <set>
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

}  // namespace ke
