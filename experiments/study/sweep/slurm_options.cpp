#include "experiments/study/sweep/slurm_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "experiments/text/shell_word.hpp"

namespace ke {
namespace {

std::string line(std::string_view option, const std::string& value) {
  return value.empty() ? "" : fmt::format("#SBATCH --{}={}\n", option, value);
}

std::string resources(const SlurmOptions& o) {
  constexpr std::int64_t minute_ms = 60'000;
  const std::int64_t minutes = (o.time_ms + minute_ms - 1) / minute_ms;
  std::string text = line("partition", o.partition) + line("account", o.account) +
                     line("constraint", o.constraint) + line("gres", o.gres) +
                     line("cpus-per-task", std::to_string(o.cpus));
  if (minutes > 0) text += line("time", std::to_string(minutes));
  if (o.memory_mib > 0) text += line("mem", fmt::format("{}M", o.memory_mib));
  return text;
}

}  // namespace

std::string batch_script(const SlurmTask& task, const SlurmOptions& options) {
  constexpr std::int64_t second_ms = 1'000;
  std::string text =
      "#!/bin/bash\n# Written by kernelevolve; the next submission writes it anew.\n";
  text += line("job-name", task.name) + line("comment", task.comment) +
          line("output", task.folder + "/slurm/%A_%a.log") +
          "#SBATCH --ntasks=1\n#SBATCH --requeue\n#SBATCH --open-mode=append\n" +
          line("signal", fmt::format("B:USR1@{}", options.grace_ms / second_ms)) +
          resources(options);
  text += fmt::format("set -u\ncd {} || exit\nshard=$(($1 + SLURM_ARRAY_TASK_ID))\n",
                      shell_quoted(task.beside));
  // In the place of the shell, so that Slurm's signals reach the program.
  text += fmt::format("exec {} sweep {}", shell_quoted(task.program), shell_quoted(task.sweep));
  for (const std::string& one : task.overrides) text += " " + shell_quoted(one);
  text += fmt::format(
      " --plan {} --shard \"$shard/{}\" --jobs {} --scratch \"{}\" --save {} --quiet"
      " --out {}\n",
      task.plan, task.shards, options.cpus, options.scratch, options.save_ms / second_ms,
      shell_quoted(task.folder));
  return text;
}

namespace {

constexpr std::int64_t second_ms = 1'000;
constexpr std::int64_t day_ms = 24 * 3600 * second_ms;

/// A word for a line of the batch script.
std::string word(Params& section, std::string_view name, std::string_view doc) {
  std::string text = section.text(name, "", doc);
  const auto plain = [](char c) {
    return c > ' ' && c < 0x7f && c != '"' && c != '\'' && c != '\\';
  };
  if (std::ranges::all_of(text, plain)) return text;
  section.fail(name, fmt::format("= {} holds a blank, a quote or a backslash", text));
  return {};
}

/// Stands between double quotes in the batch script, where $NAME and ${NAME} are expanded.
std::string folder(Params& section) {
  std::string text = section.text("scratch", "/tmp",
                                  "folder on each node's own disk in which runs are written before "
                                  "they are moved; $NAME is the node's variable");
  const bool plain = text.find_first_of("\"'`\\()\n") == std::string::npos;
  if (plain && !text.empty() && (text.front() == '/' || text.front() == '$')) return text;
  section.fail("scratch", fmt::format("= {} is not a full path, such as /tmp or $TMPDIR, without "
                                      "quotes, brackets and backslashes",
                                      text));
  return {};
}

}  // namespace

SlurmOptions read_slurm(Params& top) {
  Params section = top.section("slurm");
  SlurmOptions options;
  options.partition = word(section, "partition", "partitions, separated by commas");
  options.account = word(section, "account", "account that pays");
  options.constraint = word(section, "constraint", "features that nodes must have, e.g. a100&ib");
  options.gres = word(section, "gres", "generic resources of a task, e.g. gpu:1");
  options.time_ms = section.duration_ms("time", "0s", {0, 60 * day_ms},
                                        "time limit of a task, in minutes rounded up; 0s: the "
                                        "partition's");
  options.grace_ms = section.duration_ms("grace", "60s", {second_ms, 3600 * second_ms},
                                         "how long before the time limit a task saves its state "
                                         "and is put back into the queue");
  constexpr std::int64_t minute_ms = 60 * second_ms;
  if (options.time_ms > 0 && options.time_ms < options.grace_ms + 2 * minute_ms) {
    section.fail("time",
                 "must be two minutes longer than grace, which Slurm may begin a minute early");
  }
  options.save_ms = section.duration_ms("save", "10min", {second_ms, day_ms},
                                        "how often a task copies its open runs to the shared "
                                        "folder: what a node that dies loses at most");
  options.cpus = section.integer("cpus", 1, {1, 1024},
                                 "cores of a task, and its runs at a time where nothing is timed");
  options.memory_mib = section.integer("memory", 0, {0, std::int64_t{64} << 20},
                                       "memory of a task in MiB; 0: the partition's");
  options.at_once = section.integer("at_once", 0, {0, 100'000},
                                    "tasks of an array that run at a time; 0: no limit");
  options.runs_per_task =
      section.integer("runs_per_task", 1, {1, 100'000},
                      "runs that one task carries out at most; in a sweep with chains, "
                      "chains; fixed by the first submission");
  options.scratch = folder(section);
  return options;
}

}  // namespace ke
