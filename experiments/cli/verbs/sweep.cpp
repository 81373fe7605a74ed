#include "experiments/study/sweep/sweep.hpp"
#include "core/text.hpp"
#include "experiments/text/shell_word.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <thread>

#include "experiments/cli/verb.hpp"
#include "experiments/study/sweep/dry_run.hpp"
#include "experiments/study/sweep/merge_shards.hpp"
#include "experiments/study/sweep/rules.hpp"
#include "experiments/study/sweep/run_sweep.hpp"
#include "experiments/study/sweep/slurm_engine.hpp"
#include "experiments/study/sweep/slurm_queue.hpp"
#include "experiments/study/sweep/sweep_status.hpp"
#include "experiments/text/json.hpp"
#include "experiments/text/table.hpp"

namespace ke::verbs {
namespace {

Json json_of(const Sweep& sweep, const SweepState& state, const SweepIndex& index) {
  const auto run_json = [](const IndexedRun& run) -> Json {
    return {{"file", run.file}, {"arm", run.arm}, {"task", run.task}, {"seed", run.seed}};
  };
  return {{"name", sweep.name},
          {"plan", index.plan_hash},
          {"analysis_hash", index.analysis_hash},
          {"planned", state.planned},
          {"done", state.done},
          {"safety", state.safety},
          {"runs", column(index.runs, run_json)},
          {"failures", failures_json(index)}};
}

Result<void> print(const Sweep& sweep, const std::string& folder, const SweepState& state,
                   bool json, Console& console) {
  KE_TRY(const auto index, read_sweep_index(folder));
  if (!index) return Error{Failure::store, folder + ": has lost its index"};
  if (json) {
    write_json(console.out, json_of(sweep, state, *index));
    return {};
  }
  console.out << fmt::format("{} of {} runs done in {}; {} failed, {} ended by a safety limit\n",
                             state.done, state.planned, folder, state.failed, state.safety);
  for (const auto& [file, failure] : index->failures) {
    console.out << fmt::format("failed: {}: {}\n", file, failure.message);
  }
  if (state.done == state.planned &&
      state.planned == static_cast<std::int64_t>(index->runs.size())) {
    console.out << fmt::format("'kernelevolve compare {}' says what they show\n",
                               shell_word(folder));
  }
  return {};
}

Result<int> dry_run(const Sweep& sweep, const Arguments& arguments, Console& console) {
  Json power;
  if (arguments.has("pilot")) {
    KE_TRY(power, power_from_pilot(sweep, arguments.text("pilot")));
  }
  write_either(console.out, arguments.has("json"), dry_run_json(sweep, power),
               dry_run_text(sweep, power));
  return exit_code::done;
}

Result<std::size_t> jobs_of(const Arguments& arguments) {
  KE_TRY(const std::int64_t given, arguments.integer("jobs"));
  if (given > 0) return static_cast<std::size_t>(given);
  return std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

/// Parses "I/N".
Result<Shard> shard_of(const std::string& text) {
  if (text.empty()) return Shard{};
  const auto parts = split(text, '/');
  const auto index = number_from<std::size_t>(parts.front());
  const auto count = number_from<std::size_t>(parts.back());
  const bool two = parts.size() == 2 && index && count;
  if (two && *index >= 1 && *index <= *count && *count <= 100'000) return Shard{*index, *count};
  return Error{Failure::usage,
               fmt::format("--shard = '{}': expected I/N with 1 <= I <= N <= 100000", text)};
}

Result<int> merge(const Arguments& arguments, Console& console) {
  const auto& words = arguments.positionals();
  const std::string out = arguments.text("out");
  if (words.size() < 2 || out.empty()) {
    return Error{Failure::usage, "sweep merge: needs folders of shards, and --out FOLDER"};
  }
  KE_TRY(const MergedSweep made, merge_shards({words.begin() + 1, words.end()}, out));
  if (const std::string warning = warning_of(made.made_by); !warning.empty()) {
    console.err << "warning: " << warning << "\n";
  }
  write_either(console.out, arguments.has("json"),
               {{"name", made.name},
                {"planned", made.planned},
                {"present", made.present},
                {"failed", made.failed},
                {"made_by", json_of(made.made_by)}},
               fmt::format("{} of {} runs of '{}' are in {}; {} failed\n\n{}", made.present,
                           made.planned, made.name, out, made.failed, table_of(made.made_by)));
  return exit_code::done;
}

Result<int> progress(const Arguments& arguments, Console& console) {
  const auto& words = arguments.positionals();
  if (words.size() != 2) return Error{Failure::usage, "sweep status: needs one FOLDER of a sweep"};
  KE_TRY(const SweepProgress found, progress_of(words[1]));
  write_either(console.out, arguments.has("json"), json_of(found), text_of(found));
  return exit_code::done;
}

/// Tasks of a cluster read the sweep long after it was submitted.
Result<void> require_plan(const Sweep& sweep, const std::string& plan) {
  const std::string now = sweep.plan_hash().hex();
  if (now.starts_with(plan)) return {};
  return Error{Failure::usage,
               fmt::format("{}: has changed since it was submitted: its plan is {}, not {}",
                           sweep.path, now.substr(0, 12), plan.substr(0, 12))};
}

Result<int> submit(const Sweep& sweep, const Arguments& arguments, const std::string& folder,
                   Console& console) {
  const auto& words = arguments.positionals();
  const std::vector<std::string> overrides(words.begin() + 1, words.end());
  for (const char* other : {"shard", "scratch", "save", "jobs"}) {
    if (!arguments.has(other)) continue;
    return Error{Failure::usage,
                 fmt::format("--{} is not for --engine slurm: the section 'slurm' of the sweep "
                             "says what each task does",
                             other)};
  }
  KE_TRY(const Submission made, submit_to_slurm(sweep, overrides, folder, console));
  const std::string text = fmt::format(
      "{} of {} runs are finished in {}; {} of {} tasks submitted{}, {} were queued or running\n"
      "'kernelevolve sweep status {}' says how far they are\n",
      made.finished, made.planned, folder, made.submitted, made.shards,
      made.jobs.empty() ? "" : fmt::format(" as job {}", fmt::join(made.jobs, ", ")), made.in_queue,
      shell_word(folder));
  write_either(console.out, arguments.has("json"),
               {{"name", sweep.name},
                {"planned", made.planned},
                {"finished", made.finished},
                {"tasks", made.shards},
                {"in_queue", made.in_queue},
                {"submitted", made.submitted},
                {"jobs", made.jobs}},
               text);
  return exit_code::done;
}

/// "12_3" in a task of an array.
std::string scheduler_job(const Console& console) {
  const auto value = [&](const char* name) {
    return console.variable ? console.variable(name).value_or("") : std::string();
  };
  const std::string task = value("SLURM_ARRAY_TASK_ID");
  return task.empty() ? value("SLURM_JOB_ID") : value("SLURM_ARRAY_JOB_ID") + "_" + task;
}

Result<int> run_sweep(const Arguments& arguments, Console& console) {
  const auto& words = arguments.positionals();
  if (words[0] == "merge") return merge(arguments, console);
  if (words[0] == "status") return progress(arguments, console);
  KE_TRY(const Sweep sweep, read_sweep(words[0], {words.begin() + 1, words.end()}));
  for (const std::string& warning : sweep_warnings(sweep)) {
    console.err << "warning: " << warning << "\n";
  }
  if (arguments.has("dry-run")) return dry_run(sweep, arguments, console);
  KE_TRY_VOID(require_plan(sweep, arguments.text("plan")));
  const std::string out = arguments.text("out"), scratch = arguments.text("scratch");
  std::string folder = out.empty() ? "runs/" + sweep.name : out;
  if (arguments.text("engine") == "slurm") return submit(sweep, arguments, folder, console);
  KE_TRY(const std::size_t jobs, jobs_of(arguments));
  KE_TRY(const Shard shard, shard_of(arguments.text("shard")));
  if (out.empty() && scratch.empty() && shard.count > 1) {
    folder += fmt::format(".{}of{}", shard.index, shard.count);
  }
  KE_TRY(const std::int64_t save, arguments.integer("save"));
  const std::string job = scheduler_job(console);
  const SweepOptions options{
      folder, jobs, arguments.has("quiet"), shard, scratch, std::chrono::seconds(save), job};
  SweepState state;
  KE_TRY(const int code, run_sweep(sweep, options, state, console));
  KE_TRY_VOID(print(sweep, options.folder, state, arguments.has("json"), console));
  const auto requeued = state.cut_short && !job.empty() ? slurm::requeue(job) : Result<void>();
  if (!requeued) {
    console.err << fmt::format(
        "state is saved in {}; this task cannot requeue itself here ({}): "
        "submit it again with the same command\n",
        folder, requeued.error().message);
  }
  return code;
}

}  // namespace

Verb sweep() {
  return {
      .name = "sweep",
      .positionals = "SWEEP [a.b=1 ...] | status FOLDER | merge FOLDER ...",
      .least = 1,
      .most = 1000,
      .summary = "run all arms, tasks and seeds of a sweep file",
      .details =
          "Each arm, task and seed becomes a run file <arm>.<task>.s<seed>.kev in the folder,\n"
          "beside sweep.json, which holds the matrix and the analysis, hashed before the first\n"
          "run. The same command goes on after an interruption or a kill; runs that failed are\n"
          "tried again. a.b=1 sets a key of the sweep, or of the experiment in all arms.\n"
          "--shard 3/8 runs the third of eight parts, in a folder of its own, for any scheduler\n"
          "and any host; 'sweep merge FOLDER ... -o ALL' then puts the folders together, as one\n"
          "process would have made them. With --scratch, shards may share one folder, also on a\n"
          "network file system: each run is written on the host's own disk and moved there whole\n"
          "when it has ended, or when the shard was interrupted; then the same command goes on.\n"
          "--engine slurm submits the shards as job arrays, as the section 'slurm' of the sweep\n"
          "says, and called again it submits what is missing. 'sweep status FOLDER' counts\n"
          "finished, running, failed and missing runs by what the folder holds.",
      .options =
          {{"out", 'o', "FOLDER", "", "where the run files go; runs/<name> if not given"},
           {"jobs", 'j', "N", "0",
            "runs at a time on simulated evaluators, 0 = as many as cores; where kernels\n"
            "are timed, one",
            Bounds{0, 1024}},
           {"shard", 0, "I/N", "", "run every N-th run alone, from the I-th on"},
           {"scratch", 0, "DIR", "",
            "write runs below this folder of a local disk, and move each to --out whole"},
           {"save", 0, "SECONDS", "600",
            "with --scratch: how often open runs are copied to --out, for the case that this\n"
            "host dies",
            Bounds{1, 86'400}},
           {"engine", 0, "NAME", "local", "what carries the runs out", {}, {"local", "slurm"}},
           {"plan", 0, "HASH", "",
            "refuse a sweep whose plan, as sweep.json has it, does not begin so"},
           {"dry-run", 0, "", "", "print the matrix, a bound on its cost, and its power"},
           {"pilot", 0, "FOLDER", "", "with --dry-run: earlier runs to plan the power from"},
           {"quiet", 'q', "", "", "show no progress"}},
      .exit_codes = {exit_code::safety, exit_code::device, exit_code::provider,
                     exit_code::replay_miss, exit_code::interrupted, exit_code::terminated},
      .example = "kernelevolve sweep configs/ablations/crossover.yaml seeds=1..2 -o runs/crossover",
      .run = &run_sweep};
}

}  // namespace ke::verbs
