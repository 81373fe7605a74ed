#include "experiments/cli/python_verbs.hpp"

namespace ke::verbs {
namespace {

Result<int> run_compare(const Arguments& arguments, Console& console) {
  return run_in_python("compare", arguments, console);
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
          "Runs that found no valid kernel are counted, and a note says how they enter the means.\n"
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
