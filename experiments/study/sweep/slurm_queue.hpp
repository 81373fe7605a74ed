#pragma once
// Submits to Slurm and queries it by its commands. It is never asked which runs are done: it may
// forget arrays and reuse a job's number.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace ke::slurm {

/// The highest task id that the site allows in an array. Error if Slurm cannot be asked.
Result<std::size_t> highest_task();

/// A job array: its task ids, and the number to add to an id to get its shard.
struct Array {
  std::size_t first = 0;
  std::vector<std::size_t> tasks;
};

/// Divides shards into Slurm job arrays with task ids from 1 to `highest`.
std::vector<Array> arrays_of(const std::vector<std::size_t>& shards, std::size_t highest);

/// Ascending numbers in Slurm's notation: "1-3,7".
std::string ranges_text(const std::vector<std::size_t>& numbers);

/// Submits one array with at most `at_once` running tasks (0 = no limit). Returns the job's number.
Result<std::string> submit(const std::string& script, const std::string& comment,
                           const Array& array, std::int64_t at_once);

/// Puts a running array task of this user back into Slurm's queue: Slurm ends it now and starts it
/// again later.
Result<void> requeue(const std::string& job);

/// Shards whose array tasks have this comment and wait or run; nothing if Slurm cannot be asked.
std::optional<std::set<std::size_t>> queued(const std::string& comment);

}  // namespace ke::slurm
