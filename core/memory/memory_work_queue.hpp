#pragma once
// A queue of jobs in memory.

#include <map>
#include <set>
#include <vector>

#include "core/work_queue.hpp"

namespace ke {

class MemoryWorkQueue final : public WorkQueue {
 public:
  Result<void> push(const Job& job) override;
  Result<std::optional<Lease>> claim(const std::vector<std::string>& capabilities, Time now,
                                     Time lease) override;
  Result<bool> heartbeat(std::int64_t lease_id, Time now, Time lease) override;
  Result<bool> complete(std::int64_t lease_id, const Fact& fact, Time now) override;
  Result<std::vector<Fact>> take_finished() override;
  Result<void> cancel(const Digest& key) override;

 private:
  struct Entry {
    Job job;
    std::int64_t lease_id = 0;  ///< 0 = nobody's
    Time until{0};
  };
  Entry* leased(std::int64_t lease_id, Time now);

  std::map<std::int64_t, Entry> waiting_;  ///< by age
  std::set<Digest> known_;
  std::vector<Fact> finished_;
  std::int64_t next_age_ = 0;
  std::int64_t next_lease_ = 1;
};

}  // namespace ke
