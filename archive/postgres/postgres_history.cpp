#include "archive/postgres/postgres_history.hpp"

#include "archive/postgres/header_row.hpp"

namespace ke::postgres {
namespace {

std::string stop_bytes(const StopRecord& stop) {
  Encoder out;
  out(stop.reason)(stop.proposals)(stop.evaluations)(stop.champion)(stop.history_hash);
  out(stop.numeric_elites)(stop.device_champions);
  return std::move(out).bytes();
}

StopRecord stop_of(std::string_view bytes) {
  StopRecord stop;
  Decoder in(bytes);
  in(stop.reason)(stop.proposals)(stop.evaluations)(stop.champion)(stop.history_hash);
  in(stop.numeric_elites)(stop.device_champions);
  if (!in.ok() || !in.at_end()) {
    throw Refusal({Failure::store, "the database holds a damaged stop"});
  }
  return stop;
}

}  // namespace

Result<void> PostgresHistory::begin(const RunHeader& header) {
  return connection_.transact([&](Sql& sql) { put_header(sql, run_, header); });
}

Result<std::optional<Digest>> PostgresHistory::hash_at(std::int64_t index) const {
  return connection_.single([&](Sql& sql) -> std::optional<Digest> {
    const auto rows =
        sql.run("SELECT history_hash FROM step WHERE run_id = $1 AND idx = $2", run_, index);
    if (rows.empty()) return std::nullopt;
    return digest_in(rows[0][0]);
  });
}

Result<std::int64_t> PostgresHistory::committed_steps() const {
  return connection_.single([&](Sql& sql) {
    return sql.run("SELECT count(*) FROM step WHERE run_id = $1", run_)[0][0].as<std::int64_t>();
  });
}

Result<void> PostgresHistory::load() {
  if (loaded_) return {};
  KE_TRY(next_, committed_steps());
  committed_ = {};
  KE_TRY_VOID(connection_.single([&](Sql& sql) {
    for (const auto& row :
         sql.run("SELECT step, island, slot FROM candidate WHERE run_id = $1", run_)) {
      committed_.insert(
          {row[0].as<std::int64_t>(), row[1].as<std::int64_t>(), row[2].as<std::int64_t>()});
    }
  }));
  loaded_ = true;
  return {};
}

Result<void> PostgresHistory::commit(const StepRecord& record) {
  KE_TRY_VOID(load());
  KE_TRY_VOID(check_next_step(next_, record));
  KE_TRY_VOID(committed_.add(record));
  const auto written = connection_.transact([&](Sql& sql) { put_step(sql, record); });
  loaded_ = bool(written);  // else read again what is there
  ++next_;
  return written;
}

// All of it may be there already, when a connection broke as it committed.
void PostgresHistory::put_step(Sql& sql, const StepRecord& record) const {
  sql.run(
      "INSERT INTO step (run_id, idx, step, island, history_hash) VALUES ($1, $2, $3, $4, $5) "
      "ON CONFLICT DO NOTHING",
      run_, record.index, record.step, record.island, record.history_hash);
  for (const auto& candidate : record.candidates) {
    const Evaluation& e = candidate->evaluation;
    const bool kernel = candidate->outcome == OutcomeKind::kernel;
    sql.run(
        "INSERT INTO candidate (run_id, step, island, slot, operator, verdict, objective, "
        "measured, "
        "genome_hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING",
        run_, candidate->id.step, candidate->id.island, candidate->id.slot,
        candidate->operator_name,
        std::string(kernel ? to_string(e.verdict) : to_string(candidate->outcome)), e.objective,
        e.measured, candidate->genome_hash);
  }
  sql.run("DELETE FROM stop WHERE run_id = $1", run_);
}

// Workers may go on with the open jobs of a run that was interrupted: their facts are found later.
Result<void> PostgresHistory::finish(const StopRecord& stop) {
  KE_TRY_VOID(load());
  if (stop.champion) KE_TRY_VOID(committed_.known(*stop.champion));
  return connection_.transact([&](Sql& sql) {
    sql.run(
        "INSERT INTO stop (run_id, stop) VALUES ($1, $2) "
        "ON CONFLICT (run_id) DO UPDATE SET stop = EXCLUDED.stop",
        run_, Bytes{stop_bytes(stop)});
    if (stop.reason == "interrupted") return;
    sql.run("UPDATE run SET state = 'ended' WHERE id = $1", run_);
    sql.run("DELETE FROM job WHERE run_id = $1", run_);
  });
}

Result<std::optional<StopRecord>> PostgresHistory::stop() const {
  return connection_.single([&](Sql& sql) -> std::optional<StopRecord> {
    const auto rows = sql.run("SELECT stop FROM stop WHERE run_id = $1", run_);
    if (rows.empty()) return std::nullopt;
    return stop_of(bytes_of(rows[0][0]));
  });
}

Result<void> PostgresHistory::add_verified(const VerifiedFigure& f) {
  KE_TRY_VOID(load());
  KE_TRY_VOID(committed_.known(f.candidate));
  return connection_.single([&](Sql& sql) {
    sql.run(
        "INSERT INTO verified (run_id, step, island, slot, baseline, role, speedup, ci_low, "
        "ci_high, fact_key, note) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) "
        "ON CONFLICT (run_id, step, island, slot, baseline, role) DO UPDATE SET "
        "speedup = EXCLUDED.speedup, ci_low = EXCLUDED.ci_low, ci_high = EXCLUDED.ci_high, "
        "fact_key = EXCLUDED.fact_key, note = EXCLUDED.note",
        run_, f.candidate.step, f.candidate.island, f.candidate.slot, f.baseline, f.role, f.speedup,
        f.ci.low, f.ci.high, f.fact_key, f.note);
  });
}

}  // namespace ke::postgres
