#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "archive/postgres/connection.hpp"
#include "archive/postgres/header_row.hpp"
#include "archive/postgres/postgres_work_queue.hpp"
#include "archive/shared_run.hpp"
#include "core/fact_log.hpp"
#include "core/history.hpp"

namespace ke::postgres {

/// Text of schema.sql.
const char* schema_sql();

namespace {

// Creates the tables of a database that has none.

/// Does nothing if the tables exist. Error if this user may not create them.
Result<void> make_tables(Connection& connection) {
  const auto made = connection.transact([](Sql& sql) {
    const auto has_tables = [&] {
      return !sql.script("SELECT to_regclass('public.run')")[0][0].is_null();
    };
    if (has_tables()) return;
    sql.script("SELECT pg_advisory_xact_lock(hashtextextended('kernelevolve tables', 0))");
    if (!has_tables()) sql.script(schema_sql());  // else somebody was faster
  });
  if (made) return {};
  return Error{Failure::store,
               made.error().message + "; its owner makes the tables: psql -f schema.sql"};
}

// Facts and exchanges of a run in PostgreSQL.

class PostgresFactLog final : public FactLog {
 public:
  /// `connection` must outlive this object.
  PostgresFactLog(Connection& connection, std::int64_t run) : connection_(connection), run_(run) {}
  Result<void> append(const Job& job, const Fact& fact) override {
    return connection_.single([&](Sql& sql) {
      sql.run(
          "INSERT INTO fact (run_id, key, job, fact) VALUES ($1, $2, $3, $4) ON CONFLICT DO "
          "NOTHING",
          run_, fact.key, Bytes{encode(job)}, Bytes{encode(fact)});
    });
  }

  Result<void> append(const Exchange& exchange) override {
    return connection_.single([&](Sql& sql) {
      sql.run(
          "INSERT INTO exchange (run_id, key, exchange) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
          run_, exchange.key, Bytes{encode(exchange)});
    });
  }

  Result<std::optional<Fact>> find(const Digest& key) const override {
    return connection_.single([&](Sql& sql) -> std::optional<Fact> {
      const auto rows = sql.run("SELECT fact FROM fact WHERE run_id = $1 AND key = $2", run_, key);
      if (rows.empty()) return std::nullopt;
      return stored_fact(key, bytes_of(rows[0][0]));
    });
  }

  Result<std::optional<Exchange>> find_exchange(const Digest& key) const override {
    return connection_.single([&](Sql& sql) {
      return sql.find<Exchange>("the database holds a damaged exchange",
                                "SELECT exchange FROM exchange WHERE run_id = $1 AND key = $2",
                                run_, key);
    });
  }

  Result<Digest> record_hash() const override {
    return connection_.transact([&](Sql& sql) {
      RecordDigests digests;
      for (const auto& row :
           sql.run("SELECT key, sha256(fact) FROM fact WHERE run_id = $1", run_)) {
        digests.facts.emplace(digest_in(row[0]), digest_in(row[1]));
      }
      for (const auto& row :
           sql.run("SELECT key, sha256(exchange) FROM exchange WHERE run_id = $1", run_)) {
        digests.exchanges.emplace(digest_in(row[0]), digest_in(row[1]));
      }
      return digests.hash();
    });
  }

  Result<std::optional<Job>> find_job(const Digest& key) const override {
    return connection_.single([&](Sql& sql) {
      return sql.find<Job>("the database holds a damaged job",
                           "SELECT job FROM fact WHERE run_id = $1 AND key = $2", run_, key);
    });
  }

 private:
  Connection& connection_;
  std::int64_t run_;
};

// History of a run in PostgreSQL: the hash chain, and a line for each candidate.

/// Stores the hash chain and one line per candidate. The candidates themselves are in the run file,
/// and can be computed again from the facts.
class PostgresHistory final : public History {
 public:
  /// `connection` must outlive this object.
  PostgresHistory(Connection& connection, std::int64_t run) : connection_(connection), run_(run) {}
  Result<void> begin(const RunHeader& header) override {
    return connection_.transact([&](Sql& sql) { put_header(sql, run_, header); });
  }

  Result<std::optional<Digest>> hash_at(std::int64_t index) const override {
    return connection_.single([&](Sql& sql) -> std::optional<Digest> {
      const auto rows =
          sql.run("SELECT history_hash FROM step WHERE run_id = $1 AND idx = $2", run_, index);
      if (rows.empty()) return std::nullopt;
      return digest_in(rows[0][0]);
    });
  }

  Result<std::int64_t> committed_steps() const override {
    return connection_.single(
        [&](Sql& sql) { return sql.number("SELECT count(*) FROM step WHERE run_id = $1", run_); });
  }

  Result<void> commit(const StepRecord& record) override {
    KE_TRY_VOID(load());
    KE_TRY_VOID(check_next_step(next_, record));
    KE_TRY_VOID(committed_.add(record));
    const auto written = connection_.transact([&](Sql& sql) { put_step(sql, record); });
    loaded_ = bool(written);  // else read again what is there
    ++next_;
    return written;
  }

  // Workers may go on with the open jobs of a run that was interrupted: their facts are found
  // later.
  Result<void> finish(const StopRecord& stop) override {
    KE_TRY_VOID(load());
    if (stop.champion) KE_TRY_VOID(committed_.known(*stop.champion));
    return connection_.transact([&](Sql& sql) {
      sql.run(
          "INSERT INTO stop (run_id, stop) VALUES ($1, $2) "
          "ON CONFLICT (run_id) DO UPDATE SET stop = EXCLUDED.stop",
          run_, Bytes{encode(stop)});
      if (stop.reason == "interrupted") return;
      sql.run("UPDATE run SET state = 'ended' WHERE id = $1", run_);
      sql.run("DELETE FROM job WHERE run_id = $1", run_);
    });
  }

  Result<std::optional<StopRecord>> stop() const override {
    return connection_.single([&](Sql& sql) {
      return sql.find<StopRecord>("the database holds a damaged stop",
                                  "SELECT stop FROM stop WHERE run_id = $1", run_);
    });
  }

  Result<void> add_verified(const VerifiedFigure& f) override {
    KE_TRY_VOID(load());
    KE_TRY_VOID(committed_.known(f.candidate));
    return connection_.single([&](Sql& sql) {
      sql.run(
          "INSERT INTO verified (run_id, step, island, slot, baseline, role, speedup, ci_low, "
          "ci_high, fact_key, note) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) "
          "ON CONFLICT (run_id, step, island, slot, baseline, role) DO UPDATE SET "
          "speedup = EXCLUDED.speedup, ci_low = EXCLUDED.ci_low, ci_high = EXCLUDED.ci_high, "
          "fact_key = EXCLUDED.fact_key, note = EXCLUDED.note",
          run_, f.candidate.step, f.candidate.island, f.candidate.slot, f.baseline, f.role,
          f.speedup, f.ci.low, f.ci.high, f.fact_key, f.note);
    });
  }

 private:
  Result<void> load() {
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

  // All of it may be there already, when a connection broke as it committed.
  void put_step(Sql& sql, const StepRecord& record) const {
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

  Connection& connection_;
  std::int64_t run_;
  bool loaded_ = false;
  std::int64_t next_ = 0;          ///< index of the next step; valid once loaded
  CommittedCandidates committed_;  ///< once loaded
};

}  // namespace
}  // namespace ke::postgres

namespace ke {
namespace postgres {
namespace {

constexpr std::chrono::milliseconds between_tries(200);

class PostgresRun final : public SharedRun {
 public:
  PostgresRun(std::unique_ptr<Connection> connection, std::int64_t run)
      : connection_(std::move(connection)),
        run_(run),
        history_(*connection_, run),
        facts_(*connection_, run),
        queue_(*connection_, {run}) {}

  History& history() override { return history_; }
  FactLog& facts() override { return facts_; }
  WorkQueue& queue() override { return queue_; }

  Result<void> publish(const RunHeader& header, const LeaseRules& rules,
                       const std::vector<SharedDevice>& devices,
                       const std::vector<TaskFile>& files) override {
    KE_TRY_VOID(connection_->transact([&](Sql& sql) {
      put_header(sql, run_, header);
      for (std::size_t d = 0; d < devices.size(); ++d) {
        sql.run(
            "INSERT INTO device (run_id, position, kind, origin) VALUES ($1, $2, $3, $4) "
            "ON CONFLICT DO NOTHING",
            run_, static_cast<std::int64_t>(d), devices[d].kind, devices[d].origin);
      }
      for (const TaskFile& file : files) {
        sql.run(
            "INSERT INTO task_file (run_id, device, path, content) VALUES ($1, $2, $3, $4) "
            "ON CONFLICT (run_id, device, path) DO UPDATE SET content = EXCLUDED.content",
            run_, static_cast<std::int64_t>(file.device), file.path, Bytes{file.content});
      }
      sql.run("UPDATE run SET state = 'open', lease_ms = $2, attempts = $3 WHERE id = $1", run_,
              rules.time.count(), rules.attempts);
    }));
    lease_ = rules.time;
    return connection_->notify(PostgresWorkQueue::jobs_channel);
  }

  Result<std::optional<EvaluatorInfo>> evaluator(std::size_t device) override {
    return connection_->single([&](Sql& sql) {
      return sql.find<EvaluatorInfo>(
          "the first worker was of another version",
          "SELECT evaluator FROM device WHERE run_id = $1 AND position = $2 "
          "AND evaluator IS NOT NULL",
          run_, static_cast<std::int64_t>(device));
    });
  }

  Result<std::int64_t> live_workers() override {
    return connection_->single([&](Sql& sql) {
      return sql.number(
          "SELECT count(*) FROM worker WHERE run_id = $1 AND state = 'serving' "
          "AND seen > now() - make_interval(secs => $2::bigint / 1000.0)",
          run_, lease_.count());
    });
  }

 private:
  std::unique_ptr<Connection> connection_;
  std::int64_t run_;
  std::chrono::milliseconds lease_{30'000};
  PostgresHistory history_;
  PostgresFactLog facts_;
  PostgresWorkQueue queue_;
};

std::int64_t run_of_name(Sql& sql, const std::string& name) {
  sql.run("INSERT INTO run (name) VALUES ($1) ON CONFLICT DO NOTHING", name);
  return sql.number("SELECT id FROM run WHERE name = $1", name);
}

/// Takes the lock of the run for as long as this session of the server lives.
Result<void> become_coordinator(Connection& connection, std::int64_t run, const std::string& name,
                                std::chrono::milliseconds patience) {
  const auto take = [run, name](Sql& sql) {
    const auto taken = sql.run("SELECT pg_try_advisory_lock(hashtextextended($1::text, 0))",
                               fmt::format("kernelevolve run {}", run));
    if (taken[0][0].as<bool>()) return;
    throw Refusal({Failure::store, "another coordinator works on run '" + name + "'"});
  };
  const auto end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const auto taken = connection.single(take);
    if (taken) return connection.on_connect(take);
    if (std::chrono::steady_clock::now() >= end) return taken.error();
    std::this_thread::sleep_for(between_tries);
  }
}

}  // namespace
}  // namespace postgres

std::string database_missing() { return {}; }

Result<std::unique_ptr<SharedRun>> open_shared_run(const std::string& url, const std::string& name,
                                                   std::chrono::milliseconds patience,
                                                   const DatabaseWait& wait) {
  using namespace postgres;
  KE_TRY(auto connection, Connection::open(url, wait));
  KE_TRY_VOID(make_tables(*connection));
  KE_TRY(const std::int64_t run,
         connection->transact([&](Sql& sql) { return run_of_name(sql, name); }));
  KE_TRY_VOID(become_coordinator(*connection, run, name, patience));
  return std::unique_ptr<SharedRun>(std::make_unique<PostgresRun>(std::move(connection), run));
}

}  // namespace ke
