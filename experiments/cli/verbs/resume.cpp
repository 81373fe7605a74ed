#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>

#include "experiments/cli/verbs.hpp"
#include "experiments/run/extend_run.hpp"
#include "experiments/run/run_all.hpp"
#include "experiments/run/run_files.hpp"
#include "experiments/run/stored_run.hpp"
#include "experiments/view/report/run_report.hpp"

namespace ke::verbs {
namespace {

namespace fs = std::filesystem;

struct Stored {
  Experiment experiment;
  Subject subject;
  std::int64_t seed = 0;
  std::string file;
  std::string extends = {};  ///< finished run that it extends, set before its first session
};

Result<std::optional<Stored>> read_stored(const std::string& file,
                                          const std::vector<std::string>& overrides,
                                          const std::string& tasks);

/// Reads the extension of a finished run, or prepares a new one.
Result<std::optional<Stored>> read_extension(const RunHeader& header, const std::string& file,
                                             const std::vector<std::string>& overrides,
                                             const std::string& tasks) {
  KE_TRY(Experiment experiment, extended_experiment(header, file, overrides));
  const std::string extended = extended_file(file);
  if (fs::exists(extended) && !remove_unfinished(extended)) {
    return read_stored(extended, overrides, tasks);
  }
  KE_TRY(Subject subject, stored_subject(experiment, header, file, tasks));
  return std::optional<Stored>(
      Stored{std::move(experiment), std::move(subject), header.seed, extended, file});
}

Result<std::optional<Stored>> read_stored(const std::string& file,
                                          const std::vector<std::string>& overrides,
                                          const std::string& tasks) {
  KE_TRY(const auto reader, RunReader::open(file));
  KE_TRY(const RunState state, reader->state());
  KE_TRY(const RunHeader header, reader->header());
  if (state == RunState::done && overrides.empty()) return std::optional<Stored>();
  if (state == RunState::done) {
    // The overrides match those of the run, so a repeated call has nothing to do.
    if (stored_experiment(header, file, overrides)) return std::optional<Stored>();
    return read_extension(header, file, overrides, tasks);
  }
  if (state == RunState::running) {
    return Error{Failure::store, file + ": another process is running it"};
  }
  KE_TRY(Experiment experiment, stored_experiment(header, file, overrides));
  KE_TRY(Subject subject, stored_subject(experiment, header, file, tasks));
  return std::optional<Stored>(
      Stored{std::move(experiment), std::move(subject), header.seed, file});
}

Result<void> begin_extension(const Stored& stored, const RunRequest& request, Console& console) {
  KE_TRY_VOID(create_extension(request, stored.extends));
  console.err << fmt::format("{}: goes on in {}\n", stored.extends, stored.file);
  const fs::path path(stored.file);
  IndexEntry entry{path.filename().string(), stored.subject.origin};
  for (const Subject& subject : stored.subject.devices) {
    entry.device_task_folders.push_back(subject.origin);
  }
  return write_index(path.has_parent_path() ? path.parent_path().string() : ".", {entry});
}

/// Reads the runs to resume; each file once.
Result<std::deque<Stored>> read_all(const Arguments& arguments,
                                    const std::vector<std::string>& runs,
                                    const std::vector<std::string>& overrides, Console& console) {
  KE_TRY(const auto files, find_run_files(runs));
  std::deque<Stored> stored;
  for (const std::string& file : files) {
    const bool extended = std::ranges::find(files, extended_file(file)) != files.end();
    if (extended && !overrides.empty()) continue;  // its extension is resumed instead
    KE_TRY(auto read, read_stored(file, overrides, arguments.text("tasks")));
    if (read) {
      stored.push_back(*std::move(read));
    } else if (!arguments.has("quiet")) {
      console.err << file
                  << ": is done; a larger budget, such as budget.evaluations=N, extends it\n";
    }
  }
  return stored;
}

Result<int> run_resume(const Arguments& arguments, Console& console) {
  std::vector<std::string> runs;
  std::vector<std::string> overrides;
  split_overrides(arguments.positionals(), runs, overrides);
  KE_TRY(const std::deque<Stored> stored, read_all(arguments, runs, overrides, console));
  std::vector<RunRequest> requests;
  for (const Stored& one : stored) {
    requests.push_back({one.experiment, one.subject, one.seed, one.file, arguments.has("quiet"),
                        arguments.has("until-waiting")});
    if (!one.extends.empty()) KE_TRY_VOID(begin_extension(one, requests.back(), console));
  }
  KE_TRY(const RunsEnd end, run_all(requests, console));
  // Folders contain extensions as well; for a run named directly, the extension is shown instead.
  for (const Stored& one : stored) {
    if (!one.extends.empty()) std::ranges::replace(runs, one.extends, one.file);
  }
  KE_TRY_VOID(print_results(runs, arguments.has("json"), console, end.letters));
  return end.code;
}

}  // namespace

Verb resume() {
  return {
      .name = "resume",
      .positionals = "RUN ... [a.b=1 ...]",
      .least = 1,
      .most = 1000,
      .summary = "go on with runs that were interrupted, killed or never started",
      .details =
          "RUN is a run file or a folder with run files; runs that are done stay as they are. With "
          "a\n"
          "larger budget, budget.evaluations=N, a run that is done goes on in RUN.extended.kev,\n"
          "which begins with all that the first one measured.\n"
          "Committed steps are replayed from the recorded facts, so the history is the one\n"
          "of a run that was never interrupted.",
      .options = {{"tasks", 0, "FOLDER", "", "folder that holds tasks/<name>, if it has moved"},
                  {"quiet", 'q', "", "", "show no progress"},
                  until_waiting_option()},
      .exit_codes = {exit_code::safety, exit_code::device, exit_code::provider,
                     exit_code::replay_miss, exit_code::waiting, exit_code::interrupted,
                     exit_code::terminated},
      .example = "kernelevolve resume runs/first",
      .run = &run_resume};
}

}  // namespace ke::verbs
