#include "experiments/view/report/data/candidate_columns.hpp"

#include <map>

#include "experiments/view/report/data/name_column.hpp"
#include "experiments/view/report/json_number.hpp"

namespace ke {
namespace {

using Candidates = std::vector<CandidateRow>;

/// Objective, or null for a failed candidate, whose value means nothing.
Json objective_of(const CandidateRow& c) {
  return c.verdict == "ok" && c.outcome != "no_child" ? number(c.objective) : Json(nullptr);
}

bool has_intervals(const Candidates& candidates) {
  return std::any_of(candidates.begin(), candidates.end(), [](const CandidateRow& c) {
    return c.verdict == "ok" && (c.ci_low != c.objective || c.ci_high != c.objective);
  });
}

void add_intervals(const Candidates& list, Json& json) {
  if (!has_intervals(list)) {
    json["low"] = json["high"] = nullptr;
    return;
  }
  json["low"] = column(list, [](const CandidateRow& c) { return number(c.ci_low); });
  json["high"] = column(list, [](const CandidateRow& c) { return number(c.ci_high); });
}

Json measures_of(const RunRows& rows) {
  Json json = Json::object();
  for (const auto& [axis, values] : rows.measures) json[axis] = numbers(values);
  return json;
}

/// {knob: {"names": [values], "rows": [...]}}; a row is -1 if the kernel lacks the knob.
Json knobs_of(const RunRows& rows) {
  struct Column {
    std::map<std::string, std::size_t> values;
    std::vector<std::int64_t> rows;
  };
  std::map<std::string, Column> columns;
  for (std::size_t i = 0; i < rows.genomes.size(); ++i) {
    for (const auto& [name, value] : rows.genomes[i].knobs) {
      Column& own = columns[name];
      own.rows.resize(rows.genomes.size(), -1);
      own.rows[i] =
          static_cast<std::int64_t>(own.values.emplace(value, own.values.size()).first->second);
    }
  }
  Json json = Json::object();
  for (const auto& [name, own] : columns) {
    std::vector<std::string> names(own.values.size());
    for (const auto& [value, at] : own.values) names[at] = value;
    json[name] = {{"names", names}, {"rows", own.rows}};
  }
  return json;
}

/// {"lists": [[flags]], "rows": [...]}: stores each list of flags once.
Json lists_of(const std::vector<GenomeRow>& genomes) {
  std::map<std::vector<std::string>, std::size_t> places;
  Json lists = Json::array();
  Json rows = column(genomes, [&](const GenomeRow& g) {
    const auto [found, is_new] = places.emplace(g.flags, places.size());
    if (is_new) lists.push_back(g.flags);
    return found->second;
  });
  return {{"lists", lists}, {"rows", rows}};
}

}  // namespace

Json candidate_columns(const RunRows& rows) {
  const Candidates& list = rows.candidates;
  Json json;
  json["step"] = column(list, [](const CandidateRow& c) { return c.id.step; });
  json["island"] = column(list, [](const CandidateRow& c) { return c.id.island; });
  json["slot"] = column(list, [](const CandidateRow& c) { return c.id.slot; });
  json["step_index"] = column(list, [](const CandidateRow& c) { return c.step_index; });
  json["operator"] = name_column(
      list, [](const CandidateRow& c) -> auto& { return c.operator_name; });
  json["outcome"] = name_column(
      list, [](const CandidateRow& c) -> auto& { return c.outcome; });
  json["verdict"] = name_column(
      list, [](const CandidateRow& c) -> auto& { return c.verdict; });
  json["name"] = name_column(
      list, [](const CandidateRow& c) -> auto& { return c.kernel_name; });
  json["objective"] = column(list, objective_of);
  add_intervals(list, json);
  json["measured"] = column(list, [](const CandidateRow& c) { return c.measured ? 1 : 0; });
  json["genome"] = column(list, [](const CandidateRow& c) { return c.genome; });
  json["build"] = column(list, [](const CandidateRow& c) { return c.build; });
  json["duplicate_of"] = column(list, [](const CandidateRow& c) { return c.duplicate_of; });
  json["cell"] = column(list, [](const CandidateRow& c) { return c.cell; });
  json["measures"] = measures_of(rows);
  return json;
}

Json parent_columns(const RunRows& rows) {
  Json json;
  json["child"] = column(rows.parents, [](const ParentRow& p) { return p.child; });
  json["parent"] = column(rows.parents, [](const ParentRow& p) { return p.parent; });
  json["role"] = name_column(
      rows.parents, [](const ParentRow& p) -> auto& { return p.role; });
  return json;
}

Json kernel_columns(const RunRows& rows) {
  Json json;
  json["source"] = column(rows.genomes, [](const GenomeRow& g) { return g.source; });
  json["language"] = name_column(
      rows.genomes, [](const GenomeRow& g) -> auto& { return g.language; });
  json["knobs"] = knobs_of(rows);
  json["flags"] = lists_of(rows.genomes);
  json["launch_plan"] = name_column(
      rows.genomes, [](const GenomeRow& g) -> auto& { return g.launch_plan; });
  json["sources"] = rows.sources;
  return json;
}

Json remark_rows(const RunRows& rows) {
  Json json = Json::object();
  for (std::size_t i = 0; i < rows.candidates.size(); ++i) {
    const CandidateRow& c = rows.candidates[i];
    const std::string& reason = c.outcome == "no_child" ? c.no_child_reason : c.reason;
    if (reason.empty() && c.message.empty()) continue;
    json[std::to_string(i)] = {{"reason", reason}, {"message", c.message}};
  }
  for (const DiagnosticRow& row : rows.diagnostics) {
    const Diagnostic& d = row.diagnostic;
    json[std::to_string(row.candidate)]["diagnostics"].push_back(
        {d.file, d.line, d.column, d.severity, d.message});
  }
  return json;
}

}  // namespace ke
