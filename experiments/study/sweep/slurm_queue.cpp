#include "experiments/study/sweep/slurm_queue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.hpp"
#include "experiments/run/child_program.hpp"

namespace ke::slurm {
namespace {

Error unanswered(const std::string& program, int code) {
  if (code == no_such_program) {
    return {Failure::usage, program +
                                ": no such program; '--engine slurm' is for hosts from which "
                                "Slurm's jobs are submitted"};
  }
  return {Failure::usage, fmt::format("{}: ended with {}", program, code)};
}

/// "comment:first 12_7" is shard first + 7.
std::optional<std::size_t> shard_of(std::string_view line, const std::string& comment) {
  const std::size_t blank = line.rfind(' '), task = line.rfind('_');
  if (!line.starts_with(comment + ":") || blank == line.npos || task == line.npos) {
    return std::nullopt;
  }
  const std::size_t start = comment.size() + 1;
  const auto first = number_from<std::size_t>(line.substr(start, blank - start));
  const auto index = number_from<std::size_t>(line.substr(task + 1));
  if (!first || !index) return std::nullopt;
  return *first + *index;
}

}  // namespace

Result<std::size_t> highest_task() {
  const ProgramAnswer answer = run_program({"scontrol", "show", "config"});
  if (answer.code != 0) return unanswered("scontrol show config", answer.code);
  for (const std::string_view line : split(answer.output, '\n')) {
    const std::size_t equals = line.find('=');
    if (!line.starts_with("MaxArraySize") || equals == line.npos) continue;
    const auto size = number_from<std::size_t>(trim(line.substr(equals + 1)));
    if (size && *size >= 2) return *size - 1;
  }
  return Error{Failure::usage,
               "scontrol show config: names no MaxArraySize above 1: this cluster "
               "has no job arrays"};
}

std::vector<Array> arrays_of(const std::vector<std::size_t>& shards, std::size_t highest) {
  std::vector<Array> arrays;
  for (const std::size_t shard : shards) {
    const std::size_t first = (shard - 1) / highest * highest;
    if (arrays.empty() || arrays.back().first != first) arrays.push_back({first, {}});
    arrays.back().tasks.push_back(shard - first);
  }
  return arrays;
}

std::string ranges_text(const std::vector<std::size_t>& numbers) {
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    ranges.push_back(end - i == 1 ? std::to_string(numbers[i])
                                  : fmt::format("{}-{}", numbers[i], numbers[end - 1]));
    i = end;
  }
  return fmt::format("{}", fmt::join(ranges, ","));
}

Result<std::string> submit(const std::string& script, const std::string& comment,
                           const Array& array, std::int64_t at_once) {
  std::string tasks = "--array=" + ranges_text(array.tasks);
  if (at_once > 0) tasks += fmt::format("%{}", at_once);
  const ProgramAnswer answer = run_program({"sbatch", "--parsable", tasks,
                                            fmt::format("--comment={}:{}", comment, array.first),
                                            script, std::to_string(array.first)});
  if (answer.code != 0) return unanswered("sbatch", answer.code);
  return std::string(trim(answer.output.substr(0, answer.output.find(';'))));  // ";cluster"
}

Result<void> requeue(const std::string& job) {
  const ProgramAnswer answer = run_program({"scontrol", "requeue", job});
  if (answer.code == no_such_program) return Error{Failure::usage, "no scontrol on this host"};
  if (answer.code != 0) return unanswered("scontrol requeue", answer.code);
  return {};
}

std::optional<std::set<std::size_t>> queued(const std::string& comment) {
  const ProgramAnswer answer =
      run_program({"squeue", "--me", "--noheader", "--array", "--states=PENDING,RUNNING,SUSPENDED",
                   "--format=%k %i"});
  if (answer.code != 0) return std::nullopt;
  std::set<std::size_t> shards;
  for (const std::string_view line : split(answer.output, '\n')) {
    if (const auto shard = shard_of(trim(line), comment)) shards.insert(*shard);
  }
  return shards;
}

}  // namespace ke::slurm
