#include <filesystem>

#include "experiments/cli/verbs.hpp"
#include "experiments/run/atomic_file.hpp"
#include "experiments/study/compare/compare_runs.hpp"
#include "experiments/study/compare/curves.hpp"

namespace ke::verbs {
namespace {

Result<void> write_files(const Arguments& arguments, const ComparisonReport& report) {
  if (arguments.has("csv")) {
    KE_TRY_VOID(write_atomically(arguments.text("csv"), csv_of(report)));
  }
  if (arguments.has("latex")) {
    KE_TRY_VOID(write_atomically(arguments.text("latex"), latex_of(report)));
  }
  if (arguments.has("latex-tasks")) {
    KE_TRY_VOID(write_atomically(arguments.text("latex-tasks"), latex_by_task(report)));
  }
  return {};
}

constexpr std::size_t curve_points = 100;

Result<void> write_curves(const Arguments& arguments, const ComparedRuns& runs) {
  if (!arguments.has("curves")) return {};
  const std::string against = arguments.text("against");
  KE_TRY(const auto curves, read_curves(runs, against));
  return write_atomically(arguments.text("curves"),
                          csv_of(quartiles(curves, curve_points), against));
}

Result<int> run_compare(const Arguments& arguments, Console& console) {
  std::vector<std::string> paths, overrides;
  split_overrides(arguments.positionals(), paths, overrides);
  if (paths.empty()) return Error{Failure::usage, "compare: name a folder or run files"};
  KE_TRY(ComparedRuns runs, load_runs(paths));
  KE_TRY(ComparisonReport report, compare_runs(runs, overrides, arguments.has("carry-forward")));
  KE_TRY_VOID(write_files(arguments, report));
  KE_TRY_VOID(write_curves(arguments, runs));
  if (arguments.has("repeats")) {
    KE_TRY(report.repeats, scatter_of_answers(runs));
  }
  if (arguments.has("power")) report.power = plan_power(report.comparison, 0);
  if (arguments.has("json")) {
    write_json(console.out, json_of(report));
  } else {
    console.out << text_of(report);
  }
  return exit_code::done;
}

}  // namespace

Verb compare() {
  return {
      .name = "compare",
      .positionals = "FOLDER | RUN ... [key=value ...]",
      .least = 1,
      .most = 100000,
      .summary = "say what the runs of a sweep show, and what they cannot show",
      .details =
          "The analysis is the one that the sweep declared; key=value changes it (endpoint=auc)\n"
          "and marks the result as exploratory. Without a sweep, the arm of a run is its file\n"
          "name up to the first dot. Runs that failed or are not done are listed as missing.\n"
          "Where even the clearest result could not reach alpha, it says so and gives no p-value.\n"
          "'kernelevolve list sweep' documents the keys of an analysis.",
      .options =
          {{"csv", 0, "FILE", "", "write one line an arm there"},
           {"latex", 0, "FILE", "", "write a booktabs table with its caption there"},
           {"latex-tasks", 0, "FILE", "",
            "write such a table of each arm on each task there, the best in bold"},
           {"curves", 0, "FILE", "", "write quartiles over what the runs spent there, as CSV"},
           {"against", 0, "CURRENCY", "evaluations", "axis of --curves", {}, curve_currencies()},
           {"power", 0, "", "", "plan how many units would find analysis.min_effect"},
           {"repeats", 0, "", "",
            "split the scatter of gains into that of prompts and that of a model's answers to one\n"
            "prompt, which llm.repeats asks for"},
           {"carry-forward", 0, "", "", "compare arms with different limits, each at its own end"}},
      .example = "kernelevolve compare runs/crossover --latex crossover.tex",
      .run = &run_compare};
}

}  // namespace ke::verbs
