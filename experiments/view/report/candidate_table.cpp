#include "experiments/view/report/candidate_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/text/csv.hpp"
#include "experiments/view/report/run_json.hpp"
#include "experiments/view/report/run_tables.hpp"

namespace ke {
namespace {

std::string csv_row(const std::string& run, const std::string& task, const CandidateView& view) {
  const Candidate& c = *view.candidate;
  const Evaluation& e = c.evaluation;
  std::vector<std::string> parents;
  for (const Ancestor& a : c.ancestors) parents.push_back(a.id.text());
  const bool ok = e.verdict == Verdict::ok && c.outcome != OutcomeKind::no_child;
  const std::string verdict =
      c.outcome == OutcomeKind::no_child ? "" : std::string(to_string(e.verdict));
  const std::string reason = c.outcome == OutcomeKind::no_child ? c.no_child_reason : e.reason;
  return fmt::format(
      "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(run), csv_field(task), c.id.step,
      c.id.island, c.id.slot, csv_field(c.operator_name), to_string(c.outcome), verdict,
      csv_field(reason), ok ? fmt::format("{}", e.objective) : "",
      ok ? fmt::format("{}", e.interval.low) : "", ok ? fmt::format("{}", e.interval.high) : "",
      csv_field(fmt::format("{}", fmt::join(parents, " "))),
      csv_field(c.outcome == OutcomeKind::no_child ? "" : genome_text(c.kernel)),
      c.genome_hash.is_zero() ? "" : c.genome_hash.hex());
}

}  // namespace

std::string candidate_csv_head() {
  return "run,task,step,island,slot,operator,outcome,verdict,reason,objective,ci_low,ci_high,"
         "parents,"
         "kernel,genome_hash\n";
}

Result<void> write_candidates(const RunReader& reader, TableFormat format, std::ostream& out) {
  KE_TRY(const RunHeader header, reader.header());
  for (std::int64_t row = 1;; ++row) {
    KE_TRY(const auto view, reader.candidate_at(row));
    if (!view) return {};
    if (format == TableFormat::csv) {
      out << csv_row(reader.run_id(), header.task, *view);
    } else {
      Json json = {{"run", reader.run_id()}, {"task", header.task}};
      json.update(json_of(*view->candidate, false));
      out << json_text(json) << "\n";
    }
  }
}

}  // namespace ke
