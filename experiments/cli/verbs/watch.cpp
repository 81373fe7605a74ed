#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "core/result.hpp"
#include "experiments/cli/verb.hpp"
#include "experiments/run/run_files.hpp"
#include "experiments/run/stop_tokens.hpp"
#include "experiments/text/table.hpp"
#include "experiments/view/report/run_report.hpp"
#include "experiments/view/report/run_tables.hpp"
#include "experiments/view/watch/watch_server.hpp"

namespace ke::verbs {
namespace {

// Shows the current state of runs on a terminal.

constexpr std::size_t best_shown = 5;

Result<std::string> best_text(const RunSummary& run) {
  KE_TRY(const auto reader, RunReader::open(run.file));
  KE_TRY(const auto best, reader->best(best_shown));
  Table table({"best of " + run.run_id, "seen", "operator", "kernel"});
  for (const LogicalId& id : best) {
    KE_TRY(const auto view, reader->candidate(id));
    if (!view) continue;
    const Candidate& candidate = *view->candidate;
    table.add({candidate.id.text(), fmt::format("{:.3f}", candidate.evaluation.objective),
               candidate.operator_name, genome_text(candidate.kernel)});
  }
  return best.empty() ? std::string() : "\n" + table.text();
}

/// One line per run; for a running one, its best kernels so far below it.
Result<std::string> screen_text(const std::vector<std::string>& runs) {
  KE_TRY(const auto summaries, summarise_all(runs));
  std::string text = status_table(summaries.runs);
  for (const RunSummary& run : summaries.runs) {
    if (run.state != RunState::running) continue;
    KE_TRY(const std::string best, best_text(run));
    text += best;
  }
  for (const std::string& why : summaries.unreadable) text += why + "\n";
  return text;
}

using std::chrono::milliseconds;

constexpr std::string_view clear_screen = "\x1b[H\x1b[2J";

/// Whether some of these runs are on their way to their first step.
bool some_begin(const std::vector<std::string>& runs) {
  const auto files = find_run_files(runs);
  return files && std::ranges::any_of(*files, is_being_written);
}

/// Calls `make` as soon as one run has begun.
template <typename Make>
auto when_begun(const std::vector<std::string>& runs, const StopSignals& stop, const Make& make) {
  auto made = make();
  while (!made && some_begin(runs) && !stop.stop_requested()) {
    std::this_thread::sleep_for(milliseconds(50));
    made = make();
  }
  return made;
}

Result<int> show_on_terminal(const Arguments& arguments, Console& console,
                             const StopSignals& stop) {
  while (!stop.stop_requested()) {
    KE_TRY(const std::string text, when_begun(arguments.positionals(), stop, [&] {
             return screen_text(arguments.positionals());
           }));
    console.out << clear_screen << text << "\nCtrl-C leaves; the runs go on.\n" << std::flush;
    for (int i = 0; i < 20 && !stop.stop_requested(); ++i) {
      std::this_thread::sleep_for(milliseconds(50));
    }
  }
  return exit_code::done;
}

Result<int> run_watch(const Arguments& arguments, Console& console) {
  KE_TRY(const std::int64_t port, arguments.integer("port"));
  const StopSignals stop;
  if (arguments.has("terminal")) return show_on_terminal(arguments, console, stop);
  KE_TRY(const auto server, when_begun(arguments.positionals(), stop, [&] {
           return WatchServer::start(arguments.positionals(), static_cast<int>(port));
         }));
  console.out << server->url() << "\n" << std::flush;
  while (!stop.stop_requested()) std::this_thread::sleep_for(milliseconds(50));
  return exit_code::done;
}

}  // namespace

Verb watch() {
  return {.name = "watch",
          .positionals = "RUN ...",
          .least = 1,
          .most = 1000,
          .summary = "serve the report's page while its runs go on, to this machine alone",
          .details =
              "RUN is a run file or a folder with run files. Prints an address with a token, and\n"
              "serves it until Ctrl-C; the page draws anew what has changed. Nothing is written,\n"
              "and runs may be killed and resumed meanwhile.",
          .options = {{"port", 0, "N", "0", "port to serve; 0 = any free one", Bounds{0, 65'535}},
                      {"terminal", 't', "", "", "show the runs on this terminal instead"}},
          .example = "kernelevolve watch runs/first",
          .run = &run_watch};
}

}  // namespace ke::verbs
