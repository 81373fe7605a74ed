#include <fmt/format.h>

#include "experiments/view/plot/chosen_runs.hpp"
#include "experiments/view/plot/figure.hpp"

namespace ke {
namespace {

void add_candidate(const ComparedRun& run, const Candidate& c, CsvTable& table) {
  const bool ok = c.evaluation.verdict == Verdict::ok;
  const auto add = [&](const std::string& parent, std::string_view role) {
    table.add({run.task, run.arm, fmt::format("{}", run.seed), c.id.text(),
               fmt::format("{}", c.id.step), fmt::format("{}", c.id.island), c.operator_name,
               std::string(to_string(c.evaluation.verdict)),
               ok ? csv_number(c.evaluation.objective) : "", parent, std::string(role)});
  };
  if (c.ancestors.empty()) add("", "");
  for (const Ancestor& ancestor : c.ancestors) add(ancestor.id.text(), to_string(ancestor.role));
}

}  // namespace

Result<FigureTable> make_lineage_figure(const PlotInput& input) {
  KE_TRY(const auto runs, best_runs(input.runs));
  FigureTable figure;
  figure.table = CsvTable({"task", "arm", "seed", "candidate", "step", "island", "operator",
                           "verdict", "objective", "parent", "role"});
  for (const ComparedRun* run : runs) {
    KE_TRY(const auto reader, RunReader::open(run->file));
    KE_TRY(const auto stop, reader->stop());
    if (!stop || !stop->champion) continue;
    KE_TRY(const auto line, reader->lineage(*stop->champion));
    for (const CandidateView& view : line) add_candidate(*run, *view.candidate, figure.table);
  }
  if (figure.table.empty()) return missing_figure("no run has a champion with ancestors");
  figure.x_label = "step";
  figure.y_label = input.objective;
  return figure;
}

}  // namespace ke
