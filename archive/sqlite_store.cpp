#include "archive/sqlite_store.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <unordered_set>

#include "archive/sqlite/device_rows.hpp"
#include "archive/sqlite/fact_rows.hpp"
#include "archive/sqlite/open.hpp"
#include "archive/sqlite/step_rows.hpp"
#include "archive/sqlite/store_file.hpp"
#include "archive/sqlite/task_rows.hpp"
#include "core/bm25.hpp"
#include "core/fact_log.hpp"
#include "core/history.hpp"
#include "core/knowledge_index.hpp"

namespace ke::sqlite {
namespace {

// History and facts in a run file.

class SqliteFactLog final : public FactLog {
 public:
  explicit SqliteFactLog(StoreFile& file) : file_(file) {}
  Result<void> append(const Job& job, const Fact& fact) override {
    KE_TRY(const bool perhaps_known, may_hold(fact.key));
    keys_->insert(fact.key);
    return file_.write_soon([&](Sql& sql) {
      if (!perhaps_known || !holds_fact(sql, fact.key)) put_fact(sql, file_.stamp(), job, fact);
    });
  }

  Result<void> append(const Exchange& exchange) override {
    return file_.write([&](Sql& sql) { put_exchange(sql, file_.stamp(), exchange); });
  }

  Result<std::optional<Fact>> find(const Digest& key) const override {
    KE_TRY(const bool perhaps_known, may_hold(key));
    if (!perhaps_known) return std::optional<Fact>();
    return file_.read([&](Sql& sql) { return read_fact(sql, key); });
  }

  Result<std::optional<Exchange>> find_exchange(const Digest& key) const override {
    return file_.read([&](Sql& sql) { return read_exchange(sql, key); });
  }

  Result<std::optional<Exchange>> find_exchange_at(const ExchangePlace& place) const override {
    return file_.read([&](Sql& sql) { return read_exchange_at(sql, place); });
  }

  Result<Digest> record_hash() const override {
    return file_.read([](Sql& sql) { return read_record_digests(sql).hash(); });
  }

 private:
  /// False if the file certainly lacks the fact. Most lookups are of new facts and need no query.
  Result<bool> may_hold(const Digest& key) const {
    if (!keys_) {
      KE_TRY(keys_, file_.read([](Sql& sql) { return read_fact_keys(sql); }));
    }
    return keys_->contains(key);
  }

  StoreFile& file_;
  mutable std::optional<std::unordered_set<Digest>> keys_;  ///< a superset of the keys in the file
};

class SqliteHistory final : public History {
 public:
  explicit SqliteHistory(StoreFile& file) : file_(file) {}
  Result<void> begin(const RunHeader& header) override {
    return file_.write([&](Sql& sql) {
      const auto stored = read_header(sql);
      if (!stored) return put_header(sql, header);
      if (auto same = check_same_run(*stored, header); !same)
        throw Refusal(std::move(same).error());
    });
  }

  Result<std::optional<Digest>> hash_at(std::int64_t index) const override {
    return file_.read([&](Sql& sql) { return read_step_hash(sql, index); });
  }

  Result<std::int64_t> committed_steps() const override {
    return file_.read([](Sql& sql) { return count_steps(sql); });
  }

  Result<void> commit(const StepRecord& record) override {
    const bool first = !next_;
    if (first) {
      KE_TRY(next_, committed_steps());
    }
    // Checked before the transaction, which may hold earlier steps and would roll them back.
    Result<void> result = file_.read([&](Sql&) {
      if (auto next = check_next_step(*next_, record); !next)
        throw Refusal(std::move(next).error());
    });
    if (result) {
      result = file_.write_soon([&](Sql& sql) {
        if (first) delete_stop(sql);
        put_step(sql, file_.stamp(), record);
      });
    }
    next_ = result ? std::optional(record.index + 1) : std::nullopt;
    return result;
  }

  Result<void> finish(const StopRecord& stop) override {
    next_.reset();
    return file_.write([&](Sql& sql) { put_stop(sql, stop); });
  }

  Result<std::optional<StopRecord>> stop() const override {
    return file_.read([](Sql& sql) { return read_stop(sql); });
  }

  Result<void> add_verified(const VerifiedFigure& figure) override {
    return file_.write([&](Sql& sql) { put_verified(sql, figure); });
  }

 private:
  StoreFile& file_;
  std::optional<std::int64_t> next_;  ///< index of the next step; known while the run continues
};

}  // namespace
}  // namespace ke::sqlite

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

Result<void> SqliteStore::keep_options(const std::map<std::string, std::string>& options) {
  return state_->file.write([&](sqlite::Sql& sql) { sqlite::put_kept_options(sql, options); });
}

Result<void> SqliteStore::add_lesson(const Passage& lesson) {
  const auto words = words_of(lesson.title).size() + words_of(lesson.text).size();
  return state_->file.write([&](sqlite::Sql& sql) {
    if (const auto old = sql.find("SELECT id FROM lesson WHERE name = ?", lesson.id)) {
      sql.run("DELETE FROM lesson_words WHERE rowid = ?", *old);
      sql.run("DELETE FROM lesson WHERE id = ?", *old);
    }
    sql.run("INSERT INTO lesson (name, title, text, step, words) VALUES (?, ?, ?, ?, ?)", lesson.id,
            lesson.title, lesson.text, lesson.step, static_cast<std::int64_t>(words));
    sql.run("INSERT INTO lesson_words (rowid, title, text) VALUES (?, ?, ?)", sql.last_id(),
            lesson.title, lesson.text);
  });
}

Result<void> SqliteStore::put_numeric_elites(const NumericArchive& archive) {
  return state_->file.write([&](sqlite::Sql& sql) { sqlite::put_numeric_elites(sql, archive); });
}

}  // namespace ke
