#include "archive/sqlite/step_rows.hpp"

#include "archive/sqlite/candidate_rows.hpp"
#include "archive/sqlite/device_rows.hpp"
#include "archive/sqlite/task_rows.hpp"

namespace ke::sqlite {
namespace {

using Id = std::optional<std::int64_t>;

Id row_of(Sql& sql, const std::optional<LogicalId>& id, const char* what) {
  if (!id) return std::nullopt;
  return candidate_row(sql, *id, what);
}

std::optional<LogicalId> id_of(Sql& sql, Id row) {
  if (!row) return std::nullopt;
  return candidate_id(sql, *row);
}

void put_event(Sql& sql, std::int64_t step_idx, std::int64_t position, const ArchiveEvent& e) {
  sql.run(
      "INSERT INTO archive_event (step_idx, position, archive, challenger_id, cell, "
      "incumbent_id, status, decision, duel_key, bound_low, bound_high, clipped) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      step_idx, position, e.archive, candidate_row(sql, e.challenger, "of an archive event:"),
      static_cast<std::int64_t>(e.cell), row_of(sql, e.incumbent, "challenges"),
      to_string(e.status), to_string(e.decision), e.duel_key, Real{e.bounds.low},
      Real{e.bounds.high}, std::int64_t{e.clipped});
}

void put_migration(Sql& sql, std::int64_t step_idx, std::int64_t position,
                   const MigrationEvent& m) {
  sql.run(
      "INSERT INTO migration (step_idx, position, from_island, to_island, migrant_id, "
      "chosen_at) VALUES (?, ?, ?, ?, ?, ?)",
      step_idx, position, m.from, m.to, candidate_row(sql, m.migrant, "of a migration:"),
      m.chosen_at);
}

void read_candidates(Sql& sql, StepRecord& record) {
  const auto rows = sql.list(
      "SELECT id FROM candidate WHERE step_idx = ? ORDER BY id",
      [](const Row& row) { return row.integer(0); }, record.index);
  for (const std::int64_t row : rows) {
    record.candidates.push_back(read_candidate(sql, row));
    record.fact_keys.push_back(read_evidence(sql, row));
  }
}

void read_events(Sql& sql, StepRecord& record) {
  sql.each(
      "SELECT archive, challenger_id, cell, incumbent_id, status, decision, duel_key, "
      "bound_low, bound_high, clipped FROM archive_event WHERE step_idx = ? ORDER BY position",
      [&](const Row& row) {
        ArchiveEvent e;
        e.archive = row.text(0);
        e.challenger = candidate_id(sql, row.integer(1));
        e.cell = static_cast<std::size_t>(row.integer(2));
        e.incumbent = id_of(sql, row.maybe(3));
        e.status = parse_name<Addition>(row.text(4), 4);
        e.decision = parse_name<Decision>(row.text(5), 4);
        e.duel_key = row.digest(6);
        e.bounds = {row.real(7), row.real(8)};
        e.clipped = row.integer(9) != 0;
        record.events.push_back(std::move(e));
      },
      record.index);
}

void read_migrations(Sql& sql, StepRecord& record) {
  sql.each(
      "SELECT from_island, to_island, migrant_id, chosen_at FROM migration "
      "WHERE step_idx = ? ORDER BY position",
      [&](const Row& row) {
        record.migrations.push_back(
            {row.integer(0), row.integer(1), candidate_id(sql, row.integer(2)), row.integer(3)});
      },
      record.index);
}

}  // namespace

void put_header(Sql& sql, const RunHeader& h) {
  sql.run(
      "INSERT INTO run (id, format_version, config_text, config_id, task, task_hash, seed) "
      "VALUES (1, ?, ?, ?, ?, ?, ?)",
      h.format_version, h.config_text, h.config_id, h.task, h.task_hash, h.seed);
}

std::optional<RunHeader> read_header(Sql& sql) {
  return sql.last("SELECT format_version, config_text, config_id, task, task_hash, seed FROM run",
                  [](const Row& row) {
                    return RunHeader{row.integer(0), row.text(1),   row.digest(2),
                                     row.text(3),    row.digest(4), row.integer(5)};
                  });
}

void put_step(Sql& sql, const Stamp& stamp, const StepRecord& record) {
  sql.run(
      "INSERT INTO step (idx, step, island, session_id, committed_ms, history_hash) "
      "VALUES (?, ?, ?, ?, ?, ?)",
      record.index, record.step, record.island, stamp.session, stamp.now_ms, record.history_hash);
  static const std::vector<Digest> none;
  for (std::size_t i = 0; i < record.candidates.size(); ++i) {
    put_candidate(sql, record.index, *record.candidates[i],
                  i < record.fact_keys.size() ? record.fact_keys[i] : none);
  }
  if (record.numeric) put_numeric_batch(sql, record.index, *record.numeric);
  std::int64_t position = 0;
  for (const ArchiveEvent& event : record.events) put_event(sql, record.index, position++, event);
  position = 0;
  for (const MigrationEvent& m : record.migrations) put_migration(sql, record.index, position++, m);
}

std::int64_t count_steps(Sql& sql) {
  return sql.find("SELECT max(idx) FROM step").value_or(-1) + 1;
}

std::optional<Digest> read_step_hash(Sql& sql, std::int64_t index) {
  return sql.last(
      "SELECT history_hash FROM step WHERE idx = ?", [](const Row& row) { return row.digest(0); },
      index);
}

std::optional<StepRecord> read_step(Sql& sql, std::int64_t index) {
  auto record = sql.last(
      "SELECT step, island, history_hash FROM step WHERE idx = ?",
      [&](const Row& row) {
        StepRecord step;
        step.index = index;
        step.step = row.integer(0);
        step.island = row.integer(1);
        step.history_hash = row.digest(2);
        return step;
      },
      index);
  if (!record) return record;
  read_candidates(sql, *record);
  read_events(sql, *record);
  read_migrations(sql, *record);
  record->numeric = read_numeric_batch(sql, index);
  return record;
}

void put_stop(Sql& sql, const StopRecord& stop) {
  sql.run(
      "INSERT OR REPLACE INTO stop (id, reason, proposals, evaluations, champion_id, "
      "history_hash, numeric_elites) VALUES (1, ?, ?, ?, ?, ?, ?)",
      stop.reason, stop.proposals, stop.evaluations, row_of(sql, stop.champion, "champion:"),
      stop.history_hash, stop.numeric_elites);
  put_device_champions(sql, stop);
}

void delete_stop(Sql& sql) {
  sql.run("DELETE FROM device_champion");
  sql.run("DELETE FROM stop");
}

std::optional<StopRecord> read_stop(Sql& sql) {
  auto stop = sql.last(
      "SELECT reason, proposals, evaluations, champion_id, history_hash, numeric_elites FROM stop",
      [&](const Row& row) {
        return StopRecord{row.text(0),   row.integer(1), row.integer(2), id_of(sql, row.maybe(3)),
                          row.digest(4), row.digest(5)};
      });
  if (stop) read_device_champions(sql, *stop);
  return stop;
}

void put_verified(Sql& sql, const VerifiedFigure& f) {
  sql.run(
      "INSERT OR REPLACE INTO verified (candidate_id, baseline, role, speedup, ci_low, ci_high, "
      "fact_key, note, content_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      candidate_row(sql, f.candidate, "of a verified figure:"), f.baseline, f.role, Real{f.speedup},
      Real{f.ci.low}, Real{f.ci.high}, f.fact_key, f.note, content_hash(f));
}

void each_verified(Sql& sql, const std::function<void(const VerifiedFigure&, const Digest&)>& f) {
  sql.each(
      "SELECT candidate_id, baseline, role, speedup, ci_low, ci_high, fact_key, note, "
      "content_hash FROM verified ORDER BY candidate_id, baseline, role",
      [&](const Row& row) {
        VerifiedFigure v;
        v.candidate = candidate_id(sql, row.integer(0));
        v.baseline = row.text(1);
        v.role = row.text(2);
        v.speedup = row.real(3);
        v.ci = {row.real(4), row.real(5)};
        v.fact_key = row.digest(6);
        v.note = row.text(7);
        f(v, row.digest(8));
      });
}

Digest content_hash(const VerifiedFigure& f) {
  Encoder out;
  out("verified/1")(f.candidate)(f.baseline)(f.role)(f.speedup)(f.ci)(f.fact_key)(f.note);
  return out.digest();
}

}  // namespace ke::sqlite
