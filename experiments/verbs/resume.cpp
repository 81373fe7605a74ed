#include <fmt/format.h>

#include <deque>
#include <filesystem>

#include "experiments/cli/verbs.hpp"
#include "experiments/document.hpp"
#include "experiments/report/run_report.hpp"
#include "experiments/run/assemble.hpp"
#include "experiments/run/run_all.hpp"
#include "experiments/run/run_files.hpp"

namespace ke::verbs {
namespace {

struct Stored {
  Experiment experiment;
  Subject subject;
  std::int64_t seed = 0;
  std::string file;
};

std::string name_of(const std::string& file) {
  const std::string stem = std::filesystem::path(file).stem().string();
  return stem.substr(0, stem.find('.'));
}

/// The experiment of a run from its stored canonical text. Overrides may change what is outside the
/// configuration's identity (lanes), nothing else.
Result<Experiment> stored_experiment(const RunHeader& header, const std::string& file,
                                     const std::vector<std::string>& overrides) {
  Node document = document_of_canonical(header.config_text, file);
  document.set("task", document_of_canonical("x = [" + header.task + "]", file).entries[0].value);
  for (const std::string& text : overrides) KE_TRY_VOID(apply_override(document, text, "."));
  auto experiment = read_experiment(std::move(document), name_of(file));
  if (!experiment) {
    return Error{Failure::store, fmt::format("{}: its configuration is not one of this version: {}",
                                             file, experiment.error().message)};
  }
  if (experiment->canonical_text != header.config_text) {
    return Error{
        Failure::usage,
        fmt::format("{}: a resumed run keeps its configuration; only what changes no result "
                    "can be set, such as device.lanes",
                    file)};
  }
  return experiment;
}

Result<Subject> stored_subject(const Experiment& experiment, const RunHeader& header,
                               const std::string& file, const std::string& tasks) {
  const std::string folder = tasks.empty() ? indexed_task_folder(file) : "";
  std::error_code code;
  const bool there = !folder.empty() && std::filesystem::is_directory(folder, code);
  KE_TRY(Subject subject, read_subject(experiment, there ? folder : header.task, tasks));
  if (subject.hash != header.task_hash) {
    return Error{
        Failure::config,
        fmt::format("{}: task '{}' is not the one that the run began with (content {}, was {}); "
                    "'--tasks FOLDER' says where that one is",
                    file, header.task, subject.hash.short_hex(), header.task_hash.short_hex())};
  }
  return subject;
}

Result<std::optional<Stored>> read_stored(const std::string& file,
                                          const std::vector<std::string>& overrides,
                                          const std::string& tasks) {
  KE_TRY(const auto reader, RunReader::open(file));
  KE_TRY(const RunState state, reader->state());
  if (state == RunState::done) return std::optional<Stored>();
  if (state == RunState::running) {
    return Error{Failure::store, file + ": another process is running it"};
  }
  KE_TRY(const RunHeader header, reader->header());
  KE_TRY(Experiment experiment, stored_experiment(header, file, overrides));
  KE_TRY(Subject subject, stored_subject(experiment, header, file, tasks));
  return std::optional<Stored>(
      Stored{std::move(experiment), std::move(subject), header.seed, file});
}

/// RUN arguments and overrides, told apart by their '='.
void split_arguments(const std::vector<std::string>& words, std::vector<std::string>& runs,
                     std::vector<std::string>& overrides) {
  for (const std::string& word : words) {
    const bool exists = std::filesystem::exists(word);
    (word.find('=') != std::string::npos && !exists ? overrides : runs).push_back(word);
  }
}

Result<int> run(const Arguments& arguments, Console& console) {
  std::vector<std::string> runs;
  std::vector<std::string> overrides;
  split_arguments(arguments.positionals(), runs, overrides);
  KE_TRY(const auto files, find_run_files(runs));
  std::deque<Stored> stored;
  for (const std::string& file : files) {
    KE_TRY(auto read, read_stored(file, overrides, arguments.text("tasks")));
    if (read) {
      stored.push_back(*std::move(read));
    } else if (!arguments.has("quiet")) {
      console.err << file << ": is done\n";
    }
  }
  std::vector<RunRequest> requests;
  for (const Stored& one : stored) {
    requests.push_back({one.experiment, one.subject, one.seed, one.file, arguments.has("quiet")});
  }
  KE_TRY(const int code, run_all(requests, console));
  KE_TRY_VOID(print_results(runs, arguments.has("json"), console));
  return code;
}

}  // namespace

Verb resume() {
  return {.name = "resume",
          .positionals = "RUN ... [a.b=1 ...]",
          .least = 1,
          .most = 1000,
          .summary = "go on with runs that were interrupted, killed or never started",
          .details =
              "RUN is a run file or a folder with run files; runs that are done stay as they are.\n"
              "Committed steps are replayed from the recorded facts, so the history is the one\n"
              "of a run that was never interrupted.",
          .options = {{"tasks", 0, "FOLDER", "", "folder that holds tasks/<name>, if it has moved"},
                      {"quiet", 'q', "", "", "show no progress"}},
          .run = &run};
}

}  // namespace ke::verbs
