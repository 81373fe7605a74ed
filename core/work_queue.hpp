#pragma once
// A queue of jobs with leases, so that another worker redoes a dead worker's job.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/evaluation.hpp"
#include "core/job.hpp"
#include "core/result.hpp"

namespace ke {

/// The right to work on a job until the lease expires.
struct Lease {
  std::int64_t id = 0;
  Job job;
};

/// Reason of the `lost` fact of an abandoned job: `most_attempts` workers claimed it, and each
/// disappeared without an answer, as when a kernel takes its machine down.
inline constexpr std::string_view abandoned_job = "abandoned";
Fact abandoned_fact(const Digest& key, std::int64_t attempts);

/// Time is an argument, never read from a clock: leases are testable and replayable.
class WorkQueue {
 public:
  using Time = std::chrono::milliseconds;  ///< since any fixed origin shared by all callers
  virtual ~WorkQueue() = default;
  /// Adds a job. A key already queued, leased or finished is not added again, unless its fact said
  /// that the task's reference failed.
  virtual Result<void> push(const Job& job) = 0;
  /// Leases the oldest job whose needs are all among `capabilities` and that has no live lease.
  virtual Result<std::optional<Lease>> claim(const std::vector<std::string>& capabilities, Time now,
                                             Time lease) = 0;
  /// Extends a live lease; false when it is no longer held.
  virtual Result<bool> heartbeat(std::int64_t lease_id, Time now, Time lease) = 0;
  /// Submits the fact; false when another worker has taken the lease (the fact is dropped).
  virtual Result<bool> complete(std::int64_t lease_id, const Fact& fact, Time now) = 0;
  /// Gives the job back before the lease is over; the claim does not count as an attempt. False
  /// when it is no longer held.
  virtual Result<bool> give_back(std::int64_t lease_id) = 0;
  /// Submitted facts that were not taken yet, and those of abandoned jobs; each is returned once.
  virtual Result<std::vector<Fact>> take_finished() = 0;
  virtual Result<void> cancel(const Digest& key) = 0;
};

/// How long an idle worker pauses between the notification of a job and its claim: up to 1 ms per
/// worker of the run, spread evenly over successive `turn`s. All idle workers are notified, so
/// without a pause all would query for each job at once; with it the first one queries after about
/// 1 ms, and all together 2,000 times a second, whatever their number. `worker`: any number that
/// identifies it.
WorkQueue::Time idle_pause(std::int64_t workers, std::int64_t worker, std::int64_t turn);

}  // namespace ke
