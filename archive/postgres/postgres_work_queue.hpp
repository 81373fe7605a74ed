#pragma once
// The queue of one run in PostgreSQL, for the coordinator and for workers of any host.

#include <cstdint>
#include <vector>

#include "archive/postgres/connection.hpp"
#include "core/work_queue.hpp"

namespace ke::postgres {

/// The run that a queue belongs to, and the worker that claims its jobs.
struct QueuePlace {
  std::int64_t run = 0;
  std::optional<std::int64_t> worker = {};  ///< row of `worker` that claims; nothing: coordinator
  int most_attempts = 5;
};

/// Stores a fact in table `fact` before `complete` returns, so that a coordinator that died
/// meanwhile finds it there; the job's row only says that the fact can be taken. Holds pushes back
/// and sends them together in the next call of another member.
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

  /// Channel that notifies idle workers of new jobs of any run. Facts have no channel: PostgreSQL
  /// wakes all listeners of a database, whatever their channel, so each fact would wake each idle
  /// worker. The coordinator polls for facts.
  static constexpr const char* jobs_channel = "ke_jobs";

 private:
  using Clock = std::chrono::steady_clock;
  /// Where a query for jobs begins. Deleted rows stay in the indexes while any older transaction of
  /// the database is open, and each query from the start passes over all of them.
  struct Look {
    std::vector<std::string> capabilities = {};  ///< of the worker that asks
    std::int64_t ready_from = 0;                 ///< the first id that may be ready
    Time expired_from{0};                        ///< the first end of a lease that may have passed
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
  /// when jobs were last searched from the start; 0, here and below: never
  Clock::time_point whole_look_;
  bool found_nothing_ = false;  ///< the last query found no job
  Clock::time_point whole_take_;
  Clock::time_point taken_;
  std::vector<Job> pushed_;          ///< not sent yet
  bool news_ = false;                ///< jobs were sent of which workers were not notified yet
  Clock::time_point told_;           ///< when workers were last notified
  std::vector<std::int64_t> given_;  ///< rows whose facts were given: the next call deletes them
};

}  // namespace ke::postgres
