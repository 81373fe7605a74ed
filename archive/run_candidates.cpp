// RunReader: candidates, their lineage and their facts.

#include <set>

#include "archive/run_reader.hpp"
#include "archive/sqlite/candidate_rows.hpp"
#include "archive/sqlite/fact_rows.hpp"
#include "archive/sqlite/kernel_rows.hpp"
#include "archive/sqlite/step_rows.hpp"
#include "archive/sqlite/store_file.hpp"

namespace ke {
namespace {

using sqlite::Row;
using sqlite::Sql;

std::optional<CandidateView> view_of(Sql& sql, std::int64_t row) {
  CandidateView view;
  view.row = row;
  view.candidate = sqlite::read_candidate(sql, row);
  if (!view.candidate) return std::nullopt;
  view.step_index = sql.find("SELECT step_idx FROM candidate WHERE id = ?", row).value_or(0);
  view.fact_keys = sqlite::read_evidence(sql, row);
  return view;
}

std::vector<std::int64_t> ancestor_rows(Sql& sql, std::int64_t row) {
  return sql.list(
      "WITH RECURSIVE line (id) AS (VALUES (?) UNION "
      "SELECT p.parent_id FROM parent p JOIN line ON line.id = p.candidate_id) "
      "SELECT id FROM line ORDER BY id",
      [](const Row& r) { return r.integer(0); }, row);
}

std::vector<Digest> keys_of(Sql& sql, std::int64_t row) {
  std::vector<Digest> keys = sqlite::read_evidence(sql, row);
  sql.each(
      "SELECT duel_key FROM archive_event WHERE challenger_id = ? AND duel_key IS NOT NULL "
      "ORDER BY step_idx, position",
      [&](const Row& r) { keys.push_back(r.digest(0)); }, row);
  return keys;
}

std::optional<FactView> fact_view(Sql& sql, const Digest& key) {
  auto fact = sqlite::read_fact(sql, key);
  if (!fact) return std::nullopt;
  FactView view;
  view.fact = *std::move(fact);
  sql.each(
      "SELECT purpose, opponent, look, session_id FROM attempt WHERE key = ?",
      [&](const Row& row) {
        view.purpose = sqlite::parse_name<JobKind>(row.text(0), 5);
        view.opponent = row.null(1) ? "" : row.text(1);
        view.look = row.integer(2);
        view.session = row.maybe(3);
      },
      key);
  if (view.session) --*view.session;
  return view;
}

std::int64_t row_or_refuse(Sql& sql, const LogicalId& id) {
  const auto row = sqlite::find_candidate(sql, id);
  if (!row) sqlite::refuse("no candidate " + id.text());
  return *row;
}

}  // namespace

Result<std::optional<CandidateView>> RunReader::candidate(const LogicalId& id) const {
  return file_->read([&](Sql& sql) {
    const auto row = sqlite::find_candidate(sql, id);
    return row ? view_of(sql, *row) : std::nullopt;
  });
}

Result<std::optional<CandidateView>> RunReader::candidate_at(std::int64_t row) const {
  return file_->read([&](Sql& sql) { return view_of(sql, row); });
}

Result<std::vector<LogicalId>> RunReader::best(std::size_t limit) const {
  return file_->read([&](Sql& sql) {
    return sql.list(
        "SELECT c.step, c.island, c.slot FROM v_best b JOIN candidate c "
        "ON c.id = b.candidate_id ORDER BY b.objective DESC, c.id LIMIT ?",
        [](const Row& row) { return row.id(0); }, static_cast<std::int64_t>(limit));
  });
}

Result<std::vector<CandidateView>> RunReader::lineage(const LogicalId& id) const {
  return file_->read([&](Sql& sql) {
    std::vector<CandidateView> line;
    for (const std::int64_t row : ancestor_rows(sql, row_or_refuse(sql, id))) {
      line.push_back(*view_of(sql, row));
    }
    return line;
  });
}

Result<std::vector<FactView>> RunReader::facts(const LogicalId& id) const {
  return file_->read([&](Sql& sql) {
    std::vector<FactView> facts;
    std::set<Digest> seen;
    for (const Digest& key : keys_of(sql, row_or_refuse(sql, id))) {
      if (!seen.insert(key).second) continue;
      if (auto view = fact_view(sql, key)) facts.push_back(*std::move(view));
    }
    return facts;
  });
}

Result<std::optional<FactView>> RunReader::fact(const Digest& key) const {
  return file_->read([&](Sql& sql) { return fact_view(sql, key); });
}

Result<std::optional<Kernel>> RunReader::opponent_kernel(const Digest& key) const {
  return file_->read([&](Sql& sql) {
    return sql.last(
        "SELECT opponent_genome_id FROM attempt WHERE key = ? AND opponent_genome_id IS NOT NULL",
        [&](const Row& row) { return sqlite::read_genome(sql, row.integer(0)); }, key);
  });
}

Result<std::vector<Digest>> RunReader::exchange_keys() const {
  return file_->read([](Sql& sql) {
    return sql.list("SELECT key FROM exchange ORDER BY key",
                    [](const Row& row) { return row.digest(0); });
  });
}

Result<std::optional<Fact>> RunReader::examined(const LogicalId& id) const {
  return file_->read([&](Sql& sql) {
    const auto key = sql.last(
        "SELECT a.key FROM attempt a JOIN candidate c ON c.genome_id = a.genome_id "
        "WHERE a.purpose = 'sanitize' AND c.id = ?",
        [](const Row& row) { return row.digest(0); }, row_or_refuse(sql, id));
    return key ? sqlite::read_fact(sql, *key) : std::nullopt;
  });
}

Result<std::vector<StoppedPromotion>> RunReader::stopped_promotions() const {
  return file_->read([](Sql& sql) {
    return sql.list(
        "SELECT c.step, c.island, c.slot, a.message, min(c.id) FROM attempt a JOIN candidate c "
        "ON c.genome_id = a.genome_id WHERE a.purpose = 'sanitize' AND a.verdict = 'suspicious' "
        "GROUP BY a.id ORDER BY a.id",
        [](const Row& row) {
          return StoppedPromotion{row.id(0), row.text(3)};
        });
  });
}

Result<std::vector<VerifiedFigure>> RunReader::verified() const {
  return file_->read([](Sql& sql) {
    std::vector<VerifiedFigure> figures;
    sqlite::each_verified(
        sql, [&](const VerifiedFigure& figure, const Digest&) { figures.push_back(figure); });
    return figures;
  });
}

}  // namespace ke
