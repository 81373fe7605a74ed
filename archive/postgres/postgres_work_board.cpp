#include <fmt/format.h>

#include <algorithm>

#include "archive/postgres/header_row.hpp"
#include "archive/postgres/postgres_work_queue.hpp"
#include "archive/shared_run.hpp"

namespace ke {
namespace postgres {
namespace {

/// Why facts of `here` would not be comparable with those of the run's first worker; "" = they are.
std::string difference(const EvaluatorInfo& first, const EvaluatorInfo& here) {
  const auto differs = [](const char* what, const std::string& a, const std::string& b) {
    return fmt::format("its {} is '{}', that of the run '{}'", what, b, a);
  };
  if (first.kind != here.kind) return differs("evaluator", first.kind, here.kind);
  if (first.device_class != here.device_class) {
    return differs("device class", first.device_class, here.device_class);
  }
  if (first.toolchain != here.toolchain) {
    return differs("toolchain", first.toolchain, here.toolchain);
  }
  if (first.protocol_version != here.protocol_version) {
    return differs("protocol", std::to_string(first.protocol_version),
                   std::to_string(here.protocol_version));
  }
  return {};
}

class PostgresWorkBoard final : public WorkBoard {
 public:
  explicit PostgresWorkBoard(std::unique_ptr<Connection> connection)
      : connection_(std::move(connection)) {}

  Result<std::vector<OpenWork>> open_work() override {
    if (!has_tables_) {
      KE_TRY(has_tables_, find_tables());
      if (!has_tables_) return std::vector<OpenWork>();
    }
    return connection_->single([&](Sql& sql) {
      std::vector<OpenWork> list;
      const auto rows = sql.run(
          "SELECT r.id, r.name, r.lease_ms, r.attempts, d.position, d.kind, d.origin, "
          "r.format_version, r.config_text, r.config_id, r.task, r.task_hash, r.seed, "
          "(d.evaluator IS NULL OR EXISTS (SELECT FROM job j WHERE j.run_id = r.id "
          "AND j.state = 'ready' AND j.needs @> ARRAY['device ' || d.position]) "
          "OR EXISTS (SELECT FROM job j WHERE j.run_id = r.id AND j.state = 'leased' "
          "AND j.lease_until <= $1 AND j.needs @> ARRAY['device ' || d.position])) AS waiting "
          "FROM run r JOIN device d ON d.run_id = r.id WHERE r.state = 'open' "
          "ORDER BY waiting DESC, r.id, d.position",
          now().count());
      for (const auto& row : rows) list.push_back(work_in(row));
      return list;
    });
  }

  Result<std::vector<TaskFile>> task_files(const OpenWork& work) override {
    return connection_->single([&](Sql& sql) {
      std::vector<TaskFile> files;
      for (const auto& row :
           sql.run("SELECT device, path, content FROM task_file WHERE run_id = $1", work.run)) {
        files.push_back({row[0].as<std::size_t>(), row[1].as<std::string>(), bytes_of(row[2])});
      }
      return files;
    });
  }

  Result<Registration> join(const OpenWork& work, const WorkerInfo& info) override {
    return connection_->transact([&](Sql& sql) { return register_in(sql, work, info); });
  }

  std::unique_ptr<WorkQueue> queue(const OpenWork& work, std::int64_t worker) override {
    return std::make_unique<PostgresWorkQueue>(*connection_,
                                               QueuePlace{work.run, worker, work.rules.attempts});
  }

  Result<std::int64_t> seen(const OpenWork& work, std::int64_t worker) override {
    return connection_->single([&](Sql& sql) -> std::int64_t {
      const auto rows = sql.run(
          "UPDATE worker SET seen = now() FROM run r WHERE worker.id = $1 AND r.id = $2 "
          "AND r.state = 'open' RETURNING (SELECT count(*) FROM worker w WHERE w.run_id = r.id "
          "AND w.state = 'serving' AND w.seen > now() - make_interval(secs => r.lease_ms / "
          "1000.0))",
          worker, work.run);
      return rows.empty() ? 0 : std::max<std::int64_t>(1, rows[0][0].as<std::int64_t>());
    });
  }

  Result<void> leave(std::int64_t worker, const std::string& reason) override {
    return connection_->single([&](Sql& sql) {
      sql.run("UPDATE worker SET state = 'left', reason = $2, seen = now() WHERE id = $1", worker,
              reason);
    });
  }

  WorkQueue::Time now() const override { return connection_->now(); }
  bool wait(std::chrono::milliseconds time) override { return connection_->wait(time); }

 private:
  /// A worker may start before any coordinator made the tables.
  Result<bool> find_tables() {
    return connection_->single(
        [](Sql& sql) { return !sql.script("SELECT to_regclass('public.run')")[0][0].is_null(); });
  }

  static OpenWork work_in(const pqxx::row& row) {
    OpenWork work;
    work.run = row["id"].as<std::int64_t>();
    work.name = row["name"].as<std::string>();
    work.rules = {WorkQueue::Time(row["lease_ms"].as<std::int64_t>()), row["attempts"].as<int>()};
    work.device = row["position"].as<std::size_t>();
    work.on = {row["kind"].as<std::string>(), row["origin"].as<std::string>()};
    work.header = header_in(row);
    work.waiting = row["waiting"].as<bool>();
    return work;
  }

  static Registration register_in(Sql& sql, const OpenWork& work, const WorkerInfo& info) {
    const std::string own = encode(info.evaluator);
    const auto device = static_cast<std::int64_t>(work.device);
    sql.run(
        "UPDATE device SET evaluator = $3 WHERE run_id = $1 AND position = $2 "
        "AND evaluator IS NULL",
        work.run, device, Bytes{own});
    const auto rows = sql.run("SELECT evaluator FROM device WHERE run_id = $1 AND position = $2",
                              work.run, device);
    const Result<EvaluatorInfo> first = decode<EvaluatorInfo>(bytes_of(rows.at(0)[0]));
    Registration made;
    made.refused = first ? difference(*first, info.evaluator)
                         : "the first worker of the run was of another version";
    const auto id = sql.run(
        "INSERT INTO worker (run_id, device, host, host_class, pid, evaluator, state, reason) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id",
        work.run, device, info.host, info.host_class, info.pid, Bytes{own},
        std::string(made.refused.empty() ? "serving" : "refused"), made.refused);
    made.worker = id[0][0].as<std::int64_t>();
    return made;
  }

  std::unique_ptr<Connection> connection_;
  bool has_tables_ = false;
};

}  // namespace
}  // namespace postgres

Result<std::unique_ptr<WorkBoard>> open_work_board(const std::string& url,
                                                   const DatabaseWait& wait) {
  using namespace postgres;
  KE_TRY(auto connection, Connection::open(url, wait));
  KE_TRY_VOID(connection->listen(PostgresWorkQueue::jobs_channel));
  return std::unique_ptr<WorkBoard>(std::make_unique<PostgresWorkBoard>(std::move(connection)));
}

}  // namespace ke
