#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "archive/recorded_facts.hpp"
#include "archive/run_reader.hpp"
#include "archive/sqlite_store.hpp"
#include "core/history.hpp"
#include "core/text.hpp"
#include "experiments/cli/verb.hpp"
#include "experiments/run/config/experiment.hpp"
#include "experiments/run/run_all.hpp"
#include "experiments/run/run_files.hpp"
#include "experiments/run/run_one.hpp"
#include "experiments/run/stored_run.hpp"
#include "experiments/view/report/run_report.hpp"

namespace ke::verbs {
namespace {

// Extends a finished run with a larger budget, as a new run that begins with the results of the
// finished one.

namespace fs = std::filesystem;

/// Lines of a configuration that an extension must not change.
std::set<std::string> fixed_lines(std::string_view canonical) {
  std::set<std::string> lines;
  for (const std::string_view line : split(canonical, '\n')) {
    const bool free = std::ranges::any_of(
        std::initializer_list<std::string_view>{"budget.", "safety.", "verify."},
        [&](std::string_view section) { return line.starts_with(section); });
    if (!free) lines.emplace(line);
  }
  return lines;
}

/// The limit 0 means none.
double room(std::int64_t limit) {
  return limit == 0 ? std::numeric_limits<double>::infinity() : static_cast<double>(limit);
}

/// Whether no limit is smaller than before, and one is larger.
bool has_larger_budget(const Experiment& now, const Experiment& before) {
  const auto limits = [](const Experiment& experiment) {
    const auto& [tokens, dollars] = experiment.llm_limits;
    const double infinite = std::numeric_limits<double>::infinity();
    return std::array<double, 4>{room(experiment.limits.evaluations),
                                 room(experiment.limits.proposals), room(tokens),
                                 dollars > 0 ? dollars : infinite};
  };
  const auto is = limits(now), was = limits(before);
  return is != was && std::equal(is.begin(), is.end(), was.begin(), std::greater_equal());
}

/// Experiment of a finished run with a larger budget. Errors: overrides that change anything but
/// `budget`, `llm.budget`, `safety` and `verify`, or that leave no budget beyond the run's end.
Result<Experiment> extended_experiment(const RunHeader& header, const std::string& file,
                                       const std::vector<std::string>& overrides) {
  KE_TRY(const Experiment before, stored_experiment(header, file, {}));
  KE_TRY(Experiment now, changed_experiment(header, file, overrides));
  if (now.numeric) {
    return Error{Failure::usage, file + ": a finished numeric search cannot go on"};
  }
  if (fixed_lines(now.canonical_text) != fixed_lines(before.canonical_text)) {
    return Error{Failure::usage,
                 fmt::format("{}: is done; it goes on with other values of 'budget', 'safety' and "
                             "'verify' alone, anything else is a new run",
                             file)};
  }
  if (!has_larger_budget(now, before)) {
    return Error{Failure::usage,
                 fmt::format("{}: is done; only a larger budget than evaluations = {}, proposals = "
                             "{}, llm.budget.tokens = {}, llm.budget.dollars = {} (0: no limit) "
                             "lets it go on",
                             file, before.limits.evaluations, before.limits.proposals,
                             before.llm_limits.tokens, before.llm_limits.dollars)};
  }
  return now;
}

/// File of a run's extension, in the run's folder.
std::string extended_file(const std::string& file) {
  const fs::path path(file);
  return (path.parent_path() / (path.stem().string() + ".extended")).string() +
         std::string(run_suffix);
}

/// Creates the file of `request` with all facts and model answers of `finished`: its search takes
/// the same steps and measures nothing again before the old end.
Result<void> create_extension(const RunRequest& request, const std::string& finished) {
  KE_TRY_VOID(create_run(request));
  KE_TRY(const std::shared_ptr<const RunReader> reader, RunReader::open(finished));
  KE_TRY(const auto jobs, recorded_jobs(*reader));
  KE_TRY(const auto exchanges, recorded_exchanges(reader));
  const auto facts = recorded_facts(reader);
  KE_TRY(const auto store, SqliteStore::open(request.file, {.full_sync = false}));
  for (const Job& job : jobs) {
    KE_TRY(const auto fact, facts->find(job.key));
    if (fact) KE_TRY_VOID(store->facts().append(job, *fact));
  }
  for (const Exchange& exchange : exchanges) KE_TRY_VOID(store->facts().append(exchange));
  return {};
}

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
    const auto same = stored_experiment(header, file, overrides);
    KE_TRY(const Experiment before, stored_experiment(header, file, {}));
    // The overrides match those of the run, so a repeated call has nothing to do.
    if (same && !has_larger_budget(*same, before)) return std::optional<Stored>();
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
  return write_index(path.has_parent_path() ? path.parent_path().string() : ".",
                     {index_entry(stored.file, stored.subject)});
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
  // A finished run with a larger budget goes on as a new run, its extension. In a folder both are
  // shown; of a run that was named itself, the extension alone.
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
                     exit_code::replay_miss, exit_code::waiting, exit_code::nothing_judged,
                     exit_code::interrupted, exit_code::terminated},
      .example = "kernelevolve resume runs/first",
      .run = &run_resume};
}

}  // namespace ke::verbs
