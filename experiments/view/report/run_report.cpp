#include "experiments/view/report/run_report.hpp"
#include "experiments/text/json.hpp"
#include "experiments/text/shell_word.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "archive/recorded_facts.hpp"
#include "experiments/page/page.hpp"
#include "experiments/run/run_files.hpp"
#include "experiments/study/summary/device_summary.hpp"
#include "experiments/study/summary/run_summary.hpp"
#include "experiments/view/report/on_all_cores.hpp"
#include "experiments/view/report/run_json.hpp"
#include "experiments/view/report/run_tables.hpp"

namespace ke {
namespace {

// Suggests commands for finished runs.

Result<std::string> kind_of(const std::string& file) {
  KE_TRY(const auto reader, RunReader::open(file));
  KE_TRY(const auto evaluator, recorded_evaluator(*reader));
  return evaluator ? evaluator->kind : std::string();
}

/// Next commands, with the paths of these runs; "" if no run has a champion. `folder`: the argument
/// of `run` or `resume`.
Result<std::string> next_steps(const std::vector<RunSummary>& runs, const std::string& folder) {
  const auto done = [](const RunSummary& run) {
    return run.champion && run.state == RunState::done;
  };
  const auto first = std::ranges::find_if(runs, done);
  if (first == runs.end()) return std::string();
  KE_TRY(const std::string kind, kind_of(first->file));
  const std::string file = shell_word(first->file);
  std::string text = fmt::format(
      "\nnext:\n"
      "  kernelevolve show {} --candidate champion --source\n      prints the best kernel\n",
      file);
  if (!page_template().head.empty()) {
    text += fmt::format(
        "  kernelevolve report {} -o report.html\n      shows the whole search in a browser\n",
        shell_word(folder));
  }
  if (kind == "function" || kind == "landscape" || kind.empty()) return text;
  if (first->devices.empty()) {
    text += fmt::format(
        "  kernelevolve dispatch {} -o LIBRARY\n"
        "      makes a library that calls the best kernel for each shape\n",
        file);
  }
  return text + fmt::format(
                    "  kernelevolve export {} --kernel champion -o KERNEL\n"
                    "      writes the best kernel with what builds it\n",
                    file);
}

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

/// Prints which runs are left out, and reasons against comparing the others.
void print_warnings(const RunSummaries& summaries, Console& console) {
  for (const std::string& why : summaries.left_out) console.err << why << "\n";
  const std::string warning = programs_warning(summaries.programs);
  if (!warning.empty()) console.err << "warning: " << warning << "\n";
}

}  // namespace

Result<void> all_read(const std::vector<std::string>& unreadable) {
  if (unreadable.empty()) return {};
  return Error{Failure::store, fmt::format("{}", fmt::join(unreadable, "\n"))};
}

Result<RunSummaries> summarise_all(const std::vector<std::string>& arguments, SummaryDepth depth) {
  KE_TRY(const auto files, find_run_files(arguments));
  RunSummaries summaries;
  auto runs = on_all_cores(files.size(), [&](std::size_t i) { return read_run(files[i], depth); });
  for (std::size_t i = 0; i < files.size(); ++i) {
    Result<ReadRun>& run = *runs[i];
    if (run) {
      count_programs(run->sessions, summaries.programs);
      summaries.runs.push_back(std::move(run->summary));
    } else if (was_never_begun(files[i])) {
      summaries.left_out.push_back(run.error().message);
    } else if (run.error().failure == Failure::store) {
      summaries.unreadable.push_back(run.error().message);
    } else {
      return run.error();
    }
  }
  if (summaries.runs.empty() && !summaries.unreadable.empty())
    return all_read(summaries.unreadable).error();
  if (summaries.runs.empty()) return Error{Failure::store, summaries.left_out.front()};
  return summaries;
}

namespace {

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

}  // namespace

Result<void> print_results(const std::vector<std::string>& arguments, bool json, Console& console,
                           const LettersOfRuns& letters) {
  KE_TRY(const auto summaries, summarise_all(arguments));
  const auto& runs = summaries.runs;
  print_warnings(summaries, console);
  if (json) {
    print_json(runs, console, letters);
    return all_read(summaries.unreadable);
  }
  for (const RunSummary& run : runs) console.out << run_text(run) << devices_text(run) << "\n";
  console.out << results_table(runs);
  return all_read(summaries.unreadable);
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
  print_warnings(summaries, console);
  if (json) {
    print_json(summaries.runs, console, {});
  } else {
    console.out << status_table(summaries.runs);
  }
  return all_read(summaries.unreadable);
}

}  // namespace ke
