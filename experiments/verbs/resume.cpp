#include <deque>
#include <filesystem>

#include "experiments/cli/verbs.hpp"
#include "experiments/report/run_report.hpp"
#include "experiments/run/run_all.hpp"
#include "experiments/run/run_files.hpp"
#include "experiments/run/stored_run.hpp"

namespace ke::verbs {
namespace {

struct Stored {
  Experiment experiment;
  Subject subject;
  std::int64_t seed = 0;
  std::string file;
};

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

Result<int> run_resume(const Arguments& arguments, Console& console) {
  std::vector<std::string> runs;
  std::vector<std::string> overrides;
  split_overrides(arguments.positionals(), runs, overrides);
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
    requests.push_back({one.experiment, one.subject, one.seed, one.file, arguments.has("quiet"),
                        arguments.has("until-waiting")});
  }
  KE_TRY(const RunsEnd end, run_all(requests, console));
  KE_TRY_VOID(print_results(runs, arguments.has("json"), console, end.letters));
  return end.code;
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
                      {"quiet", 'q', "", "", "show no progress"},
                      until_waiting_option()},
          .exit_codes = {exit_code::safety, exit_code::device, exit_code::provider,
                         exit_code::replay_miss, exit_code::waiting, exit_code::interrupted,
                         exit_code::terminated},
          .example = "kernelevolve resume runs/first",
          .run = &run_resume};
}

}  // namespace ke::verbs
