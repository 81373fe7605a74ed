#include "experiments/view/report/run_report.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "experiments/run/run_files.hpp"
#include "experiments/study/summary/device_summary.hpp"
#include "experiments/view/report/next_steps.hpp"
#include "experiments/view/report/run_json.hpp"
#include "experiments/view/report/run_tables.hpp"

namespace ke {

namespace {

struct ReadRun {
  RunSummary summary;
  std::vector<SessionInfo> sessions;
};

Result<ReadRun> read_run(const std::string& file, SummaryDepth depth) {
  KE_TRY(const auto reader, RunReader::open(file));
  ReadRun run;
  KE_TRY(run.sessions, reader->sessions());
  KE_TRY(run.summary, summarise(*reader, depth));
  return run;
}

/// Reads the files on all cores, in their order.
std::vector<std::optional<Result<ReadRun>>> read_runs(const std::vector<std::string>& files,
                                                      SummaryDepth depth) {
  std::vector<std::optional<Result<ReadRun>>> runs(files.size());
  std::atomic<std::size_t> next = 0;
  const auto read = [&] {
    for (std::size_t i = next++; i < files.size(); i = next++) runs[i] = read_run(files[i], depth);
  };
  std::vector<std::jthread> threads;
  const std::size_t cores = std::thread::hardware_concurrency();
  for (std::size_t i = 1; i < std::min(cores, files.size()); ++i) threads.emplace_back(read);
  read();
  threads.clear();
  return runs;
}

/// Prints which runs are left out, and reasons against comparing the others.
void print_warnings(const RunSummaries& summaries, Console& console) {
  for (const std::string& why : summaries.left_out) console.err << why << "\n";
  const std::string warning = programs_warning(summaries.programs);
  if (!warning.empty()) console.err << "warning: " << warning << "\n";
}

}  // namespace

Result<RunSummaries> summarise_all(const std::vector<std::string>& arguments, SummaryDepth depth) {
  KE_TRY(const auto files, find_run_files(arguments));
  RunSummaries summaries;
  auto runs = read_runs(files, depth);
  for (std::size_t i = 0; i < files.size(); ++i) {
    Result<ReadRun>& run = *runs[i];
    if (run) {
      count_programs(run->sessions, summaries.programs);
      summaries.runs.push_back(std::move(run->summary));
    } else if (was_never_begun(files[i])) {
      summaries.left_out.push_back(run.error().message);
    } else {
      return run.error();
    }
  }
  if (summaries.runs.empty()) return Error{Failure::store, summaries.left_out.front()};
  return summaries;
}

void print_json(const std::vector<RunSummary>& runs, Console& console,
                const LettersOfRuns& letters) {
  Json json = {{"runs", Json::array()}};
  for (const RunSummary& run : runs) {
    json["runs"].push_back(json_of(run));
    const auto waits = letters.find(run.file);
    if (waits == letters.end()) continue;
    json["runs"].back()["waits"] = {{"letters", waits->second.count},
                                    {"folder", waits->second.place}};
  }
  write_json(console.out, json);
}

Result<void> print_results(const std::vector<std::string>& arguments, bool json, Console& console,
                           const LettersOfRuns& letters) {
  KE_TRY(const auto summaries, summarise_all(arguments));
  const auto& runs = summaries.runs;
  print_warnings(summaries, console);
  if (json) {
    print_json(runs, console, letters);
    return {};
  }
  for (const RunSummary& run : runs) console.out << run_text(run) << devices_text(run) << "\n";
  console.out << results_table(runs);
  return {};
}

Result<void> print_next_steps(const std::string& folder, Console& console) {
  KE_TRY(const auto summaries, summarise_all({folder}));
  KE_TRY(const std::string text, next_steps(summaries.runs, folder));
  console.out << text;
  return {};
}

Result<void> print_status(const std::vector<std::string>& arguments, bool json, Console& console) {
  KE_TRY(const auto summaries,
         summarise_all(arguments, json ? SummaryDepth::whole : SummaryDepth::line));
  const auto& runs = summaries.runs;
  print_warnings(summaries, console);
  if (json) {
    print_json(runs, console);
  } else {
    console.out << status_table(runs);
  }
  return {};
}

}  // namespace ke
