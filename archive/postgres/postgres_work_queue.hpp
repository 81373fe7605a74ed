#pragma once
// The queue of one run in PostgreSQL, for the coordinator and for workers of any host.

#include <cstdint>
#include <vector>

#include "archive/postgres/connection.hpp"
#include "core/work_queue.hpp"

namespace ke::postgres {

/// Whose queue this is.
struct QueuePlace {
  std::int64_t run = 0;
  std::optional<std::int64_t> worker = {};  ///< row of `worker` that claims; nothing: coordinator
  int most_attempts = 5;
};

/// A fact is in table `fact` once `complete` returns, so that a coordinator that died meanwhile
/// finds it there; the job's row only says that it can be taken. Pushes are kept back and sent
/// together by the next call of another member.
class PostgresWorkQueue final : public WorkQueue {
 public:
  /// `connection` must outlive this object.
  PostgresWorkQueue(Connection& connection, QueuePlace place)
      : connection_(connection), place_(place) {}

  Result<void> push(const Job& job) override;
  Result<std::optional<Lease>> claim(const std::vector<std::string>& capabilities, Time now,
                                     Time lease) override;
  Result<bool> heartbeat(std::int64_t lease_id, Time now, Time lease) override;
  Result<bool> complete(std::int64_t lease_id, const Fact& fact, Time now) override;
  Result<bool> give_back(std::int64_t lease_id) override;
  Result<std::vector<Fact>> take_finished() override;
  Result<void> cancel(const Digest& key) override;

  /// Is notified of new jobs of any run. Facts are not: PostgreSQL wakes all listeners of a
  /// database, whatever their channel, so that each fact would wake each idle worker. The one
  /// coordinator asks.
  static constexpr const char* jobs_channel = "ke_jobs";

 private:
  using Clock = std::chrono::steady_clock;
  /// Where a look for jobs begins. Rows that are gone stay in the indexes while any transaction of
  /// the database is older than their end, and each look from the start passes over all of them.
  struct Look {
    std::vector<std::string> capabilities = {};  ///< that it holds for
    std::int64_t ready_from = 0;                 ///< id
    Time expired_from{0};                        ///< end of a lease
  };

  Result<void> flush();
  Result<void> tell_workers();
  void begin_look(const std::vector<std::string>& capabilities);
  Result<std::optional<Lease>> claim_in_look(Time now, Time lease);
  Result<void> abandon(Time now);
  std::int64_t window_ms();

  Connection& connection_;
  QueuePlace place_;
  Look look_;
  Clock::time_point whole_look_;  ///< the last one from the start; here and below 0: never
  bool found_nothing_ = false;    ///< by the last look
  Clock::time_point whole_take_;
  Clock::time_point taken_;
  std::vector<Job> pushed_;          ///< not sent yet
  bool news_ = false;                ///< of jobs that were sent, for workers
  Clock::time_point told_;           ///< last
  std::vector<std::int64_t> given_;  ///< rows whose facts were given: the next call deletes them
};

}  // namespace ke::postgres
