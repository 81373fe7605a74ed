#include <fmt/format.h>

#include "experiments/cli/verb.hpp"
#include "experiments/run/run_files.hpp"
#include "experiments/text/json.hpp"
#include "experiments/text/table.hpp"
#include "experiments/view/report/candidates.hpp"
#include "experiments/view/report/run_json.hpp"
#include "experiments/view/report/run_tables.hpp"

namespace ke::verbs {
namespace {

std::string parents_text(const Candidate& candidate) {
  std::string text;
  for (const Ancestor& ancestor : candidate.ancestors) {
    text += (text.empty() ? "" : " ") + ancestor.id.text();
    if (ancestor.role != ParentRole::parent) text += fmt::format(" ({})", to_string(ancestor.role));
  }
  return text;
}

std::string lineage_text(const std::vector<CandidateView>& line) {
  Table table({"candidate", "operator", "verdict", "objective", "parents", "kernel"});
  for (const CandidateView& view : line) {
    const Candidate& c = *view.candidate;
    table.add({c.id.text(), c.operator_name, std::string(to_string(c.evaluation.verdict)),
               fmt::format("{:.4f}", c.evaluation.objective), parents_text(c),
               genome_text(c.kernel)});
  }
  return table.text();
}

Result<int> run_lineage(const Arguments& arguments, Console& console) {
  const auto& words = arguments.positionals();
  KE_TRY(const auto reader, open_run(words[0]));
  KE_TRY(const CandidateView view,
         find_candidate(*reader, words.size() > 1 ? words[1] : "champion"));
  KE_TRY(const auto line, reader->lineage(view.candidate->id));
  const auto ancestor = [](const CandidateView& one) { return json_of(*one.candidate, false); };
  const Json json = {{"id", view.candidate->id.text()}, {"lineage", column(line, ancestor)}};
  write_either(console.out, arguments.has("json"), json, lineage_text(line));
  return exit_code::done;
}

}  // namespace

Verb lineage() {
  return {.name = "lineage",
          .positionals = "RUN [ID]",
          .least = 1,
          .most = 2,
          .summary = "print a candidate and all its ancestors, oldest first",
          .details = "ID is step.island.slot such as 12.0.0, or champion (which it is without ID).",
          .options = {},
          .example = "kernelevolve lineage runs/first/function_base.rastrigin.s1.kev",
          .run = &run_lineage};
}

}  // namespace ke::verbs
