#pragma once
// Slurm, by its commands. It is asked for machines, and never what is done: it may forget arrays,
// and give a job's number twice.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace ke::slurm {

/// The highest number that a task of an array may have, from the site's configuration; an error
/// when Slurm cannot be asked.
Result<std::size_t> highest_task();

/// A number added to those of an array's tasks, and the numbers.
struct Array {
  std::size_t first = 0;
  std::vector<std::size_t> tasks;
};

/// Shards as arrays whose tasks are numbered from 1 to `highest`.
std::vector<Array> arrays_of(const std::vector<std::size_t>& shards, std::size_t highest);

/// "1-3,7"; ascending numbers.
std::string ranges_text(const std::vector<std::size_t>& numbers);

/// Submits one array, at most `at_once` of its tasks at a time (0 = all); the job's number.
Result<std::string> submit(const std::string& script, const std::string& comment,
                           const Array& array, std::int64_t at_once);

/// Puts a task that runs back into the queue, as its user may; Slurm then ends it.
Result<void> requeue(const std::string& job);

/// Shards of tasks with this comment that wait or run; nothing when Slurm cannot say.
std::optional<std::set<std::size_t>> queued(const std::string& comment);

}  // namespace ke::slurm
