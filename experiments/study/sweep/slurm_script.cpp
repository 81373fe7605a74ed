#include "experiments/study/sweep/slurm_script.hpp"

#include <fmt/format.h>

namespace ke {
namespace {

/// One word of a shell.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

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
                      quoted(task.beside));
  // In the place of the shell, so that Slurm's signals reach the program.
  text += fmt::format("exec {} sweep {}", quoted(task.program), quoted(task.sweep));
  for (const std::string& one : task.overrides) text += " " + quoted(one);
  text += fmt::format(
      " --plan {} --shard \"$shard/{}\" --jobs {} --scratch \"{}\" --save {} --quiet"
      " --out {}\n",
      task.plan, task.shards, options.cpus, options.scratch, options.save_ms / second_ms,
      quoted(task.folder));
  return text;
}

}  // namespace ke
