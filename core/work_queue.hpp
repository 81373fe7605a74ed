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

/// Reason of the `lost` fact of a job that was given up: `most_attempts` workers claimed it, and
/// each of them went away without an answer or a word. A kernel that takes its machine down does
/// that.
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
  /// Facts handed in and not yet taken, and those of jobs that were given up; each is given once.
  virtual Result<std::vector<Fact>> take_finished() = 0;
  virtual Result<void> cancel(const Digest& key) = 0;
};

/// Pause of an idle worker between the news of a job and its claim: up to 1 ms for each worker of
/// the run, spread evenly over successive `turn`s. All idle workers get the news, so that without
/// it each job would be asked for by all of them at once; with it the first one asks after about 1
/// ms, and all together ask 2,000 times a second, whatever their number. `worker`: any number of
/// its own.
WorkQueue::Time idle_pause(std::int64_t workers, std::int64_t worker, std::int64_t turn);

}  // namespace ke
