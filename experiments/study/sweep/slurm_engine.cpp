#include "experiments/study/sweep/slurm_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>

#include "experiments/run/atomic_file.hpp"
#include "experiments/run/places.hpp"
#include "experiments/study/sweep/run_sweep.hpp"
#include "experiments/study/sweep/slurm_options.hpp"
#include "experiments/study/sweep/slurm_queue.hpp"
#include "experiments/study/sweep/sweep_folder.hpp"
#include "experiments/study/sweep/sweep_status.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

/// Slurm splits its options at blanks and replaces what begins with '%'.
Result<std::string> usable_folder(const std::string& folder) {
  const std::string whole = fs::absolute(folder).lexically_normal().string();
  if (whole.find_first_of(" \t\n\"'\\%") == std::string::npos) return whole;
  return Error{Failure::usage,
               whole + ": Slurm's options cannot name it: it holds a blank, quote, backslash or %"};
}

/// Number of shards, each with at most runs_per_task chains. It has no common divisor with the
/// matrix's period, so that each shard holds runs of all arms and tasks: otherwise hosts would be
/// confounded with arms.
std::size_t division_of(const Sweep& sweep) {
  const std::size_t chains = chains_of(sweep).size(), arms = sweep.arms.size();
  const std::size_t period = sweep.chained ? arms : arms * sweep.tasks.size();
  const auto each = static_cast<std::size_t>(sweep.slurm.runs_per_task);
  std::size_t shards = (chains + each - 1) / each;
  while (shards < chains && std::gcd(shards, period) > 1) ++shards;
  return shards;
}

/// The index, with the division that an earlier submission fixed.
Result<SweepIndex> freeze(const Sweep& sweep, const std::string& folder) {
  KE_TRY_VOID(make_folder(folder + "/slurm"));
  KE_TRY(SweepIndex index, open_index(sweep, folder));
  if (index.shards == 0) index.shards = division_of(sweep);
  KE_TRY_VOID(write_indices(folder, index));
  return index;
}

/// Shards that hold a run which is not finished.
std::set<std::size_t> unfinished(const Sweep& sweep, std::size_t shards,
                                 const std::vector<std::string>& finished) {
  const std::set<std::string> done(finished.begin(), finished.end());
  std::set<std::size_t> numbers;
  const auto chains = chains_of(sweep);
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const bool all = std::ranges::all_of(
        chains[i], [&](const SweepRun& run) { return done.contains(run.file); });
    if (!all) numbers.insert(i % shards + 1);
  }
  return numbers;
}

/// Shards that wait or run: by Slurm's word, which no result hangs on, and by living signs.
std::set<std::size_t> under_way(const SlurmTask& task, Console& console) {
  auto queued = slurm::queued(task.comment);
  if (!queued) {
    console.err << "warning: squeue does not answer; tasks that wait since an earlier submission "
                   "are submitted twice\n";
    queued.emplace();
  }
  for (const Running& sign : read_running(task.folder)) {
    for (std::size_t i = 1; i <= task.shards; ++i) {
      if (sign.shard == text_of({i, task.shards})) queued->insert(i);
    }
  }
  return *std::move(queued);
}

/// For people: nothing reads it.
void note_job(const std::string& folder, const std::string& job, const slurm::Array& array) {
  std::ofstream(folder + "/slurm/jobs.txt", std::ios::app)
      << fmt::format("job {}: shards {} + {}\n", job, array.first, slurm::ranges_text(array.tasks));
}

Result<void> submit_all(const std::vector<std::size_t>& shards, const std::string& script,
                        const SlurmTask& task, std::int64_t at_once, Submission& made) {
  KE_TRY(const std::size_t highest, slurm::highest_task());
  for (const slurm::Array& array : slurm::arrays_of(shards, highest)) {
    const auto job = slurm::submit(script, task.comment, array, at_once);
    if (!job) {
      return Error{
          job.error().failure,
          fmt::format("{}; {} of {} tasks are submitted, the same command submits the rest",
                      job.error().message, made.submitted, shards.size())};
    }
    note_job(task.folder, *job, array);
    made.jobs.push_back(*job);
    made.submitted += array.tasks.size();
  }
  return {};
}

}  // namespace

Result<Submission> submit_to_slurm(const Sweep& sweep, const std::vector<std::string>& overrides,
                                   const std::string& folder, Console& console) {
  KE_TRY(const std::string whole, usable_folder(folder));
  KE_TRY(const SweepIndex index, freeze(sweep, whole));
  KE_TRY(const FolderLock lock, FolderLock::take(whole));
  const SlurmTask task{.program = program_to_start(),
                       .sweep = fs::absolute(sweep.path).string(),
                       .overrides = overrides,
                       .beside = fs::current_path().string(),
                       .folder = whole,
                       .plan = index.plan_hash,
                       .shards = index.shards,
                       .name = "kernelevolve",
                       .comment = "kernelevolve-" + sha256(whole + index.plan_hash).short_hex()};
  const std::string script = whole + "/slurm/job.sh";
  KE_TRY_VOID(write_atomically(script, batch_script(task, sweep.slurm)));
  KE_TRY(const SweepProgress progress, progress_of(whole));
  Submission made{
      .planned = progress.planned(), .finished = progress.finished.size(), .shards = index.shards};
  const auto queued = under_way(task, console);
  std::vector<std::size_t> shards;
  for (const std::size_t shard : unfinished(sweep, index.shards, progress.finished)) {
    if (queued.contains(shard)) {
      ++made.in_queue;
    } else {
      shards.push_back(shard);
    }
  }
  if (!shards.empty()) {
    KE_TRY_VOID(submit_all(shards, script, task, sweep.slurm.at_once, made));
  }
  return made;
}

}  // namespace ke
