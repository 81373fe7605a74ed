#include "experiments/view/watch/screen.hpp"

#include <fmt/format.h>

#include "experiments/run/run_files.hpp"
#include "experiments/text/table.hpp"
#include "experiments/view/report/run_report.hpp"
#include "experiments/view/report/run_tables.hpp"

namespace ke {
namespace {

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

}  // namespace

Result<std::string> screen_text(const std::vector<std::string>& runs) {
  KE_TRY(const auto summaries, summarise_all(runs));
  std::string text = status_table(summaries.runs);
  for (const RunSummary& run : summaries.runs) {
    if (run.state != RunState::running) continue;
    KE_TRY(const std::string best, best_text(run));
    text += best;
  }
  return text;
}

}  // namespace ke
