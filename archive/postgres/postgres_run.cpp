#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "archive/postgres/header_row.hpp"
#include "archive/postgres/postgres_fact_log.hpp"
#include "archive/postgres/postgres_history.hpp"
#include "archive/postgres/postgres_work_queue.hpp"
#include "archive/postgres/tables.hpp"
#include "archive/shared_run.hpp"

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
    return connection_->single([&](Sql& sql) -> std::optional<EvaluatorInfo> {
      const auto rows = sql.run(
          "SELECT evaluator FROM device WHERE run_id = $1 AND position = $2 "
          "AND evaluator IS NOT NULL",
          run_, static_cast<std::int64_t>(device));
      if (rows.empty()) return std::nullopt;
      Result<EvaluatorInfo> info = decode<EvaluatorInfo>(bytes_of(rows[0][0]));
      if (!info) throw Refusal({Failure::store, "the first worker was of another version"});
      return *std::move(info);
    });
  }

  Result<std::int64_t> live_workers() override {
    return connection_->single([&](Sql& sql) {
      return sql
          .run(
              "SELECT count(*) FROM worker WHERE run_id = $1 AND state = 'serving' "
              "AND seen > now() - make_interval(secs => $2::bigint / 1000.0)",
              run_, lease_.count())[0][0]
          .as<std::int64_t>();
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
  return sql.run("SELECT id FROM run WHERE name = $1", name)[0][0].as<std::int64_t>();
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
