#include "experiments/cli/verbs.hpp"
#include "experiments/report/candidate_text.hpp"
#include "experiments/report/candidates.hpp"
#include "experiments/report/run_json.hpp"
#include "experiments/report/run_report.hpp"
#include "experiments/run/run_files.hpp"

namespace ke::verbs {
namespace {

Result<int> show_candidate(const Arguments& arguments, Console& console) {
  const std::string word = arguments.text("candidate");
  KE_TRY(const auto reader, open_run(arguments.positionals()[0]));
  KE_TRY(const CandidateView view, find_candidate(*reader, word));
  if (arguments.has("json")) {
    write_json(console.out, json_of(*view.candidate, true));
    return exit_code::done;
  }
  console.out << candidate_text(*view.candidate);
  if (arguments.has("source")) console.out << "\n" << view.candidate->kernel.source;
  return exit_code::done;
}

Result<int> run(const Arguments& arguments, Console& console) {
  if (arguments.has("candidate")) return show_candidate(arguments, console);
  KE_TRY_VOID(print_results(arguments.positionals(), arguments.has("json"), console));
  return exit_code::done;
}

}  // namespace

Verb show() {
  return {.name = "show",
          .positionals = "RUN ...",
          .least = 1,
          .most = 1000,
          .summary = "print runs with their champions and verified speedups, or one candidate",
          .details =
              "Verified figures were measured afresh, against each baseline, after the champion\n"
              "was chosen; 'seen' figures are those of the search.",
          .options = {{"candidate", 'c', "ID", "", "one candidate: step.island.slot or champion"},
                      {"source", 's', "", "", "with --candidate: its source too"}},
          .run = &run};
}

}  // namespace ke::verbs
