#pragma once
// A load for the work queue on PostgreSQL: a coordinator that asks at a stated rate, and hosts with
// simulated workers.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "core/evaluation.hpp"
#include "core/job.hpp"

namespace ke::bench {

using Clock = std::chrono::steady_clock;

struct Load {
  std::string url;
  std::int64_t workers = 16;
  std::int64_t hosts = 16;         ///< each serves its share of the workers with one connection
  std::int64_t jobs_a_second = 0;  ///< 0 = as many as come through, 4 for each worker in flight
  std::int64_t seconds = 10;
  double least_ms = 0;  ///< evaluations: their logarithm is spread evenly between these
  double most_ms = 0;
};

/// Times that a user waits for, in milliseconds, in no order.
struct Latencies {
  std::vector<double> queue;   ///< from the moment a job is due to its fact, less its evaluation
  std::vector<double> claim;   ///< statements that brought a job
  std::vector<double> finish;  ///< statements that handed in a fact
  std::vector<double> undisturbed;  ///< those of `queue` while no core was taken away by others
  double asking_s = 0;              ///< until the last job was due
  std::int64_t most_open = 0;
  double rate() const { return static_cast<double>(queue.size()) / asking_s; }
};

/// Value at a quantile; 0 of nothing.
double quantile(std::vector<double> values, double q);

Job sample_job(const std::string& name);
Fact sample_fact(const Digest& key);

/// One run whose jobs pass through the queue.
class QueueRun {
 public:
  explicit QueueRun(const Load& load);
  /// Adds finished jobs until the run has this many, each with its step and candidate.
  void fill(std::int64_t jobs);
  Latencies measure();
  /// Facts of the run in the database.
  std::int64_t finished() const;
  void end();

 private:
  const Load& load_;
  std::string name_;
  std::int64_t filled_ = 0;
};

/// Durable prepared inserts of the same rows a second, by a number of connections.
double raw_rate(const std::string& url, std::int64_t connections, std::int64_t seconds);
/// Facts a second that as many coordinators append to the logs of their runs.
double append_rate(const Load& load);

/// Stops the program with the message of an error.
[[noreturn]] void fail(const Error& error);
template <typename T>
T must(Result<T> result) {
  if (!result) fail(result.error());
  return *std::move(result);
}

}  // namespace ke::bench
