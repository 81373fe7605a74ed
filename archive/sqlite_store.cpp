#include "archive/sqlite_store.hpp"

#include <chrono>

#include "archive/sqlite/axis_rows.hpp"
#include "archive/sqlite/device_rows.hpp"
#include "archive/sqlite/evaluator_rows.hpp"
#include "archive/sqlite/file_system.hpp"
#include "archive/sqlite/numeric_rows.hpp"
#include "archive/sqlite/open.hpp"
#include "archive/sqlite/roofline_rows.hpp"
#include "archive/sqlite/sqlite_history.hpp"
#include "archive/sqlite/sqlite_knowledge_index.hpp"
#include "archive/sqlite/task_rows.hpp"
#include "archive/sqlite/writer_lock.hpp"

namespace ke {
namespace {

std::int64_t system_now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace

struct SqliteStore::State {
  explicit State(sqlite::WriterLock taken) : lock(std::move(taken)) {}

  sqlite::WriterLock lock;  // first member, destroyed last: the database is closed under the lock
  sqlite::StoreFile file;
  sqlite::SqliteHistory history{file};
  sqlite::SqliteFactLog facts{file};
  sqlite::SqliteKnowledgeIndex knowledge{file};
};

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const std::string& path,
                                                       StoreOptions options) {
  KE_TRY_VOID(sqlite::check_folder(path));
  KE_TRY(auto lock, sqlite::WriterLock::take(path));
  auto state = std::make_unique<State>(std::move(lock));
  state->file.path = path;
  state->file.group = options.group;
  state->file.now_ms = options.now_ms ? options.now_ms : system_now_ms;
  const bool grouped = options.group.count() > 0;
  KE_TRY(state->file.sql,
         sqlite::open_for_writing(path, {options.full_sync, options.max_bytes, !grouped}));
  return std::unique_ptr<SqliteStore>(new SqliteStore(std::move(state)));
}

SqliteStore::SqliteStore(std::unique_ptr<State> state) : state_(std::move(state)) {}
SqliteStore::~SqliteStore() = default;

History& SqliteStore::history() { return state_->history; }
FactLog& SqliteStore::facts() { return state_->facts; }
KnowledgeIndex& SqliteStore::knowledge() { return state_->knowledge; }

Result<void> SqliteStore::begin_session(const SessionInfo& s) {
  std::int64_t id = 0;
  KE_TRY_VOID(state_->file.write([&](sqlite::Sql& sql) {
    sql.run(
        "INSERT INTO session (host, hardware, microcode, kernel, binary_hash, sandbox_level, "
        "started_ms) VALUES (?, ?, ?, ?, ?, ?, ?)",
        s.host, s.hardware, s.microcode, s.kernel, s.binary_hash, s.sandbox_level, s.started_ms);
    id = sql.last_id();
  }));
  state_->file.session = id;
  return {};
}

Result<void> SqliteStore::end_session(std::int64_t stopped_ms, std::int64_t exit_code) {
  if (!state_->file.session) return {};
  return state_->file.write([&](sqlite::Sql& sql) {
    sql.run("UPDATE session SET stopped_ms = ?, exit_code = ? WHERE id = ?", stopped_ms, exit_code,
            *state_->file.session);
  });
}

Result<void> SqliteStore::describe_evaluator(const EvaluatorInfo& info) {
  return state_->file.write([&](sqlite::Sql& sql) { sqlite::put_evaluator(sql, info); });
}

Result<void> SqliteStore::describe_devices(const std::vector<DeviceRecord>& devices) {
  return state_->file.write([&](sqlite::Sql& sql) { sqlite::put_devices(sql, devices); });
}

Result<void> SqliteStore::describe_archive(const std::string& archive,
                                           const std::vector<AxisShape>& axes) {
  return state_->file.write([&](sqlite::Sql& sql) { sqlite::put_axes(sql, archive, axes); });
}

Result<void> SqliteStore::describe_roofline(const std::vector<WorkloadCost>& costs,
                                            const std::vector<Ceiling>& ceilings) {
  return state_->file.write(
      [&](sqlite::Sql& sql) { sqlite::put_roofline(sql, state_->file.session, costs, ceilings); });
}

Result<void> SqliteStore::describe_task(const std::map<std::string, std::string>& labels) {
  return state_->file.write([&](sqlite::Sql& sql) { sqlite::put_task_labels(sql, labels); });
}

Result<void> SqliteStore::put_numeric_elites(const NumericArchive& archive) {
  return state_->file.write([&](sqlite::Sql& sql) { sqlite::put_numeric_elites(sql, archive); });
}

}  // namespace ke
