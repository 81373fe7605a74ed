#include "archive/sqlite/evaluation_rows.hpp"

#include "archive/sqlite/kernel_rows.hpp"

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

}  // namespace

void put_evaluation(Sql& sql, std::int64_t candidate, const Evaluation& e) {
  sql.run(
      "INSERT INTO evaluation (candidate_id, verdict, reason, message, build_id, objective, "
      "ci_low, ci_high, feedback_id, measured) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      candidate, to_string(e.verdict), e.reason, e.message, put_build(sql, e.build_hash),
      Real{e.objective}, Real{e.interval.low}, Real{e.interval.high},
      put_note_or_null(sql, e.feedback), std::int64_t{e.measured});
  put_lists(sql, candidate, e);
}

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

}  // namespace ke::sqlite
