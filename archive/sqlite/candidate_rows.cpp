#include "archive/sqlite/candidate_rows.hpp"

#include <fmt/format.h>

#include "archive/sqlite/kernel_rows.hpp"
#include "core/evaluation.hpp"

namespace ke::sqlite {
namespace {

void put_lists(Sql& sql, std::int64_t candidate, const Evaluation& e) {
  using Measure = std::tuple<std::int64_t, const std::string&, Real>;
  sql.insert("INSERT OR FAIL INTO evaluation_measure (candidate_id, axis, value) VALUES",
             e.measures,
             [&](const auto& m) { return Measure(candidate, m.first, Real{m.second}); });
  std::int64_t position = 0;
  for (const Diagnostic& d : e.diagnostics) {
    sql.run(
        "INSERT INTO evaluation_diagnostic (candidate_id, position, file, line, col, severity, "
        "message) VALUES (?, ?, ?, ?, ?, ?, ?)",
        candidate, position++, d.file, d.line, d.column, d.severity, d.message);
  }
}

void read_lists(Sql& sql, std::int64_t candidate, Evaluation& e) {
  sql.each(
      "SELECT axis, value FROM evaluation_measure WHERE candidate_id = ?",
      [&](const Row& row) { e.measures.emplace(row.text(0), row.real(1)); }, candidate);
  sql.each(
      "SELECT file, line, col, severity, message FROM evaluation_diagnostic "
      "WHERE candidate_id = ? ORDER BY position",
      [&](const Row& row) {
        e.diagnostics.push_back(
            {row.text(0), row.integer(1), row.integer(2), row.text(3), row.text(4)});
      },
      candidate);
}

void fill(const Row& row, Evaluation& e) {
  const auto verdict = parse_verdict(row.text(0));
  if (!verdict) refuse("damaged: '" + row.text(0) + "' is no known verdict");
  e.verdict = *verdict;
  e.reason = row.text(1);
  e.message = row.text(2);
  e.build_hash = row.digest(3);
  e.objective = row.real(4);
  e.interval = {row.real(5), row.real(6)};
  if (!row.null(7)) e.feedback = row.text(7);
  e.measured = row.integer(8) != 0;
}

void put_evaluation(Sql& sql, std::int64_t candidate, const Evaluation& e) {
  sql.run(
      "INSERT INTO evaluation (candidate_id, verdict, reason, message, build_id, objective, "
      "ci_low, ci_high, feedback_id, measured) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      candidate, to_string(e.verdict), e.reason, e.message, put_build(sql, e.build_hash),
      Real{e.objective}, Real{e.interval.low}, Real{e.interval.high},
      put_note_or_null(sql, e.feedback), std::int64_t{e.measured});
  put_lists(sql, candidate, e);
}

/// Refuses a candidate without an evaluation.
Evaluation read_evaluation(Sql& sql, std::int64_t candidate) {
  Evaluation evaluation;
  bool found = false;
  sql.each(
      "SELECT e.verdict, e.reason, e.message, b.hash, e.objective, e.ci_low, e.ci_high, n.text, "
      "e.measured FROM evaluation e LEFT JOIN build b ON b.id = e.build_id "
      "LEFT JOIN note n ON n.id = e.feedback_id WHERE e.candidate_id = ?",
      [&](const Row& row) {
        found = true;
        fill(row, evaluation);
      },
      candidate);
  if (!found) refuse("damaged: a candidate without its evaluation");
  read_lists(sql, candidate, evaluation);
  return evaluation;
}

using Id = std::optional<std::int64_t>;

void put_row(Sql& sql, std::int64_t step_idx, const Candidate& c,
             const std::vector<Digest>& fact_keys) {
  Id genome;
  if (!c.genome_hash.is_zero()) genome = put_genome(sql, c.genome_hash, c.kernel);
  Id original;
  if (c.duplicate_of) original = candidate_row(sql, *c.duplicate_of, "repeats", c.id);
  sql.run(
      "INSERT INTO candidate (step_idx, step, island, slot, operator, outcome, no_child_reason, "
      "kernel_name, genome_id, duplicate_of, duplicate_kind, content_hash) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      step_idx, c.id.step, c.id.island, c.id.slot, c.operator_name, to_string(c.outcome),
      c.no_child_reason, c.kernel.name, genome, original, c.duplicate_kind,
      content_hash(c, fact_keys));
}

void put_links(Sql& sql, std::int64_t row, const Candidate& c, const std::vector<Digest>& keys) {
  std::int64_t position = 0;
  for (const Ancestor& a : c.ancestors) {
    sql.run("INSERT INTO parent (candidate_id, position, parent_id, role) VALUES (?, ?, ?, ?)", row,
            position++, candidate_row(sql, a.id, "descends from", c.id), to_string(a.role));
  }
  position = 0;
  using Evidence = std::tuple<std::int64_t, std::int64_t, const Digest&>;
  sql.insert("INSERT OR FAIL INTO evidence (candidate_id, position, key) VALUES", keys,
             [&](const Digest& key) { return Evidence(row, position++, key); });
}

struct Links {
  Id genome;
  Id original;
};

bool read_row(Sql& sql, std::int64_t row_id, Candidate& c, Links& links) {
  bool found = false;
  sql.each(
      "SELECT c.step, c.island, c.slot, c.operator, c.outcome, c.no_child_reason, c.kernel_name, "
      "c.genome_id, g.hash, c.duplicate_of, c.duplicate_kind FROM candidate c "
      "LEFT JOIN genome g ON g.id = c.genome_id WHERE c.id = ?",
      [&](const Row& row) {
        found = true;
        c.id = row.id(0);
        c.operator_name = row.text(3);
        c.outcome = parse_name<OutcomeKind>(row.text(4), 3);
        c.no_child_reason = row.text(5);
        c.kernel.name = row.text(6);
        links = {row.maybe(7), row.maybe(9)};
        c.genome_hash = row.digest(8);
        c.duplicate_kind = row.text(10);
      },
      row_id);
  return found;
}

void read_ancestors(Sql& sql, std::int64_t row_id, Candidate& c) {
  sql.each(
      "SELECT p.step, p.island, p.slot, r.role FROM parent r JOIN candidate p "
      "ON p.id = r.parent_id WHERE r.candidate_id = ? ORDER BY r.position",
      [&](const Row& row) {
        c.ancestors.push_back({row.id(0), parse_name<ParentRole>(row.text(3), 3)});
      },
      row_id);
}

}  // namespace

std::optional<std::int64_t> find_candidate(Sql& sql, const LogicalId& id) {
  return sql.find("SELECT id FROM candidate WHERE step = ? AND island = ? AND slot = ?", id.step,
                  id.island, id.slot);
}

std::int64_t candidate_row(Sql& sql, const LogicalId& id, std::string_view what,
                           const std::optional<LogicalId>& whose) {
  const auto known = sql.known().candidates.find(id);
  if (known) return *known;
  const auto row = find_candidate(sql, id);
  if (!row) {
    const std::string subject = whose ? whose->text() + " " : "";
    refuse(fmt::format("candidate {}{} {}, which was never committed", subject, what, id.text()));
  }
  sql.known().candidates.keep(id, *row);
  return *row;
}

LogicalId candidate_id(Sql& sql, std::int64_t row_id) {
  return sql
      .last(
          "SELECT step, island, slot FROM candidate WHERE id = ?",
          [](const Row& row) { return row.id(0); }, row_id)
      .value_or(LogicalId());
}

void put_candidate(Sql& sql, std::int64_t step_idx, const Candidate& candidate,
                   const std::vector<Digest>& fact_keys) {
  put_row(sql, step_idx, candidate, fact_keys);
  const std::int64_t row = sql.last_id();
  sql.known().candidates.keep(candidate.id, row);
  put_links(sql, row, candidate, fact_keys);
  put_evaluation(sql, row, candidate.evaluation);
}

std::shared_ptr<Candidate> read_candidate(Sql& sql, std::int64_t row) {
  auto candidate = std::make_shared<Candidate>();
  Links links;
  if (!read_row(sql, row, *candidate, links)) return nullptr;
  if (links.genome) {
    std::string name = std::move(candidate->kernel.name);
    candidate->kernel = read_genome(sql, *links.genome);
    candidate->kernel.name = std::move(name);
  }
  if (links.original) candidate->duplicate_of = candidate_id(sql, *links.original);
  read_ancestors(sql, row, *candidate);
  candidate->evaluation = read_evaluation(sql, row);
  return candidate;
}

Digest content_hash(const Candidate& c, const std::vector<Digest>& fact_keys) {
  Encoder out;
  out("candidate/1")(c.id)(c.operator_name)(c.ancestors)(c.outcome)(c.no_child_reason);
  out(c.kernel.name)(c.genome_hash)(c.duplicate_of)(c.duplicate_kind)(fact_keys);
  const Evaluation& e = c.evaluation;
  out(e.verdict)(e.reason)(e.message)(e.build_hash)(e.objective)(e.interval)(e.measures);
  out(e.feedback)(e.diagnostics)(e.measured);
  return out.digest();
}

std::vector<Digest> read_evidence(Sql& sql, std::int64_t candidate_row) {
  return sql.list(
      "SELECT key FROM evidence WHERE candidate_id = ? ORDER BY position",
      [](const Row& row) { return row.digest(0); }, candidate_row);
}

}  // namespace ke::sqlite
