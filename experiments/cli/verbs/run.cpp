#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "experiments/cli/verb.hpp"
#include "experiments/run/assemble.hpp"
#include "experiments/run/atomic_file.hpp"
#include "experiments/run/config/document.hpp"
#include "experiments/run/places.hpp"
#include "experiments/run/run_all.hpp"
#include "experiments/run/run_files.hpp"
#include "experiments/text/shell_word.hpp"
#include "experiments/view/report/run_report.hpp"

namespace ke::verbs {
namespace {

namespace fs = std::filesystem;

Result<Experiment> read_arguments(const std::vector<std::string>& words) {
  const std::vector<std::string> overrides(words.begin() + 1, words.end());
  KE_TRY(Node document, load_document(words[0], overrides));
  return read_experiment(std::move(document), fs::path(words[0]).stem().string());
}

/// Folder of the experiment's file, beside which a task is looked for first; a task that is typed
/// is looked for where it is typed first.
std::string base_of(const std::string& task, const std::vector<std::string>& words,
                    Console& console) {
  const std::string given = fs::path(words[0]).parent_path().string();
  const std::string folder = given.empty() ? "." : given;
  const bool typed =
      std::ranges::any_of(words, [](const std::string& word) { return word.starts_with("task="); });
  std::vector<std::string> warnings;
  const std::string base = typed ? base_of_typed_task(task, folder, warnings) : folder;
  for (const std::string& warning : warnings) console.err << "warning: " << warning << "\n";
  return base;
}

/// Reads all tasks and collects their errors.
Result<std::vector<Subject>> read_subjects(const Experiment& experiment,
                                           const std::vector<std::string>& words,
                                           Console& console) {
  std::vector<Subject> subjects;
  std::vector<std::string> errors;
  for (const std::string& task : experiment.tasks) {
    auto subject = read_subject(experiment, task, base_of(task, words, console));
    if (subject) {
      subjects.push_back(*std::move(subject));
    } else if (subject.error().failure == Failure::device) {
      return subject.error();  // error of the machine, independent of the task
    } else {
      errors.push_back(subject.error().message);
    }
  }
  if (!errors.empty()) return Error{Failure::config, fmt::format("{}", fmt::join(errors, "\n"))};
  return subjects;
}

Result<void> refuse_existing(const std::vector<RunRequest>& requests, const std::string& folder) {
  for (const RunRequest& request : requests) {
    if (!fs::exists(request.file) || remove_unfinished(request.file)) continue;
    return Error{
        Failure::usage,
        fmt::format("{} exists and is not overwritten: 'kernelevolve resume {}' goes on with it, "
                    "'-o FOLDER' puts new runs elsewhere",
                    request.file, shell_word(folder))};
  }
  return {};
}

std::vector<RunRequest> plan_requests(const Experiment& experiment,
                                      const std::vector<Subject>& subjects,
                                      const std::string& folder, const Arguments& arguments) {
  std::vector<RunRequest> requests;
  for (const Subject& subject : subjects) {
    for (const std::int64_t seed : experiment.seeds) {
      const fs::path file = fs::path(folder) / run_file_name(experiment.name, subject.name, seed);
      requests.push_back({experiment, subject, seed, file.string(), arguments.has("quiet"),
                          arguments.has("until-waiting")});
    }
  }
  return requests;
}

Result<void> create_all(const std::vector<RunRequest>& requests, const std::string& folder) {
  std::vector<IndexEntry> index;
  for (const RunRequest& request : requests) {
    KE_TRY_VOID(create_run(request));
    index.push_back(index_entry(request.file, request.subject));
  }
  return write_index(folder, index);
}

Result<int> run_run(const Arguments& arguments, Console& console) {
  KE_TRY(const Experiment experiment, read_arguments(arguments.positionals()));
  KE_TRY(const auto subjects, read_subjects(experiment, arguments.positionals(), console));
  const std::string given = arguments.text("out");
  const std::string folder = given.empty() ? "runs/" + experiment.name : given;
  for (const std::string& warning : experiment_warnings(experiment)) {
    console.err << "warning: " << warning << "\n";
  }
  const auto requests = plan_requests(experiment, subjects, folder, arguments);
  std::vector<PlannedFile> planned;
  for (const RunRequest& request : requests) {
    planned.push_back({request.subject.origin, request.file});
  }
  KE_TRY_VOID(refuse_equal_files(planned));
  KE_TRY_VOID(make_folder(folder));
  KE_TRY_VOID(refuse_existing(requests, folder));
  KE_TRY_VOID(create_all(requests, folder));
  KE_TRY(const RunsEnd end, run_all(requests, console));
  KE_TRY_VOID(print_results({folder}, arguments.has("json"), console, end.letters));
  if (!arguments.has("json")) KE_TRY_VOID(print_next_steps(folder, console));
  return end.code;
}

}  // namespace

Verb run() {
  return {
      .name = "run",
      .positionals = "CONFIG [a.b=1 ...]",
      .least = 1,
      .most = 1000,
      .summary = "search for fast kernels as an experiment file says",
      .details =
          "Each task and seed of CONFIG becomes a run of its own: one file\n"
          "<name>.<task>.s<seed>.kev in the folder. a.b=1 sets a key of CONFIG.\n"
          "Ctrl-C ends with the state saved; 'resume' goes on from it.",
      .options = {{"out", 'o', "FOLDER", "", "where the run files go; runs/<name> if not given"},
                  {"quiet", 'q', "", "", "show no progress"},
                  until_waiting_option()},
      .exit_codes = {exit_code::safety, exit_code::device, exit_code::provider,
                     exit_code::replay_miss, exit_code::waiting, exit_code::nothing_judged,
                     exit_code::interrupted, exit_code::terminated},
      .example = "kernelevolve run configs/ablations/function_base.yaml seed=[1,2] -o runs/first",
      .run = &run_run};
}

}  // namespace ke::verbs
