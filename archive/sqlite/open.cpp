#include "archive/sqlite/open.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>

#include "archive/sqlite/file_system.hpp"
#include "archive/sqlite/schema.hpp"
#include "archive/sqlite/writer_lock.hpp"

namespace ke::sqlite {
namespace {

constexpr int busy_ms = 10'000;

std::int64_t pragma(SQLite::Database& database, const char* text) {
  return database.execAndGet(text).getInt64();
}

// True for a run file of this version, false for an empty database; refuses other files.
bool is_run_file(SQLite::Database& database) {
  const std::int64_t application = pragma(database, "PRAGMA application_id");
  const std::int64_t version = pragma(database, "PRAGMA user_version");
  const std::int64_t tables = pragma(database, "SELECT count(*) FROM sqlite_schema");
  if (application == 0 && version == 0 && tables == 0) return false;
  if (application != application_id) refuse("is a database of another program, not a run file");
  if (version < schema_version) {
    refuse(fmt::format("was written by an older version (schema {}, this program reads {})",
                       version, schema_version));
  }
  if (version > schema_version) {
    refuse(fmt::format("was written by a newer version (schema {}, this program reads {})", version,
                       schema_version));
  }
  return true;
}

// In one transaction, so that a crash leaves the file either empty or complete.
void create_schema(SQLite::Database& database) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  database.exec(schema_sql());
  database.exec(fmt::format("PRAGMA application_id = {}", application_id));
  database.exec(fmt::format("PRAGMA user_version = {}", schema_version));
  transaction.commit();
}

void configure_writer(SQLite::Database& database, WriteOptions options) {
  database.exec(options.check_references ? "PRAGMA foreign_keys = ON"
                                         : "PRAGMA foreign_keys = OFF");
  database.exec(options.full_sync ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  database.exec("PRAGMA cache_size = -65536");  // 64 MiB: indexes over random keys fit
  const std::int64_t page = pragma(database, "PRAGMA page_size");
  // Index pages of random keys are written back once for many steps; at most 32 MiB to recover.
  database.exec(fmt::format("PRAGMA wal_autocheckpoint = {}", (32 << 20) / page));
  if (options.max_bytes > 0) {
    pragma(database, fmt::format("PRAGMA max_page_count = {}", options.max_bytes / page).c_str());
  }
}

std::unique_ptr<Sql> write_connection(const std::string& path, WriteOptions options) {
  auto database = std::make_unique<SQLite::Database>(
      path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE | SQLite::OPEN_NOMUTEX, busy_ms);
  const bool existed = is_run_file(*database);
  // A short run fills a fraction of a page of most of its 67 tables and indexes.
  if (!existed) database->exec("PRAGMA page_size = 2048");
  database->exec("PRAGMA journal_mode = WAL");
  configure_writer(*database, options);
  if (!existed) create_schema(*database);
  database->exec(schema_additions_sql());
  return std::make_unique<Sql>(std::move(database));
}

std::unique_ptr<Sql> read_connection(const std::string& uri) {
  auto database =
      std::make_unique<SQLite::Database>(uri, SQLite::OPEN_READONLY | SQLITE_OPEN_URI, busy_ms);
  if (!is_run_file(*database)) refuse(no_run_yet);
  return std::make_unique<Sql>(std::move(database));
}

// SQLite accepts this setting only before the first connection; later calls do nothing. The unused
// memory statistics would take a global lock on every allocation.
void forgo_statistics() {
  [[maybe_unused]] static const int once = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

std::string uri_of(const std::string& path) {
  std::string uri = "file:";
  for (const unsigned char c : path) {
    if (c == '?' || c == '#' || c == '%') {
      uri += fmt::format("%{:02x}", static_cast<unsigned>(c));
    } else {
      uri += static_cast<char>(c);
    }
  }
  return uri;
}

/// Nobody writes it, and no journal holds what it lacks.
bool is_closed(const std::string& path) {
  std::error_code none;
  const auto journal = std::filesystem::file_size(path + "-wal", none);
  return !WriterLock::is_held(path) && (none || journal == 0);
}

}  // namespace

Result<std::unique_ptr<Sql>> open_for_writing(const std::string& path, WriteOptions options) {
  forgo_statistics();
  return guarded(path, [&] { return write_connection(path, options); });
}

Result<std::unique_ptr<Sql>> open_for_reading(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) {
    return Error{Failure::store, fmt::format("{}: no such run file", path)};
  }
  forgo_statistics();
  const auto connect = [&](const char* how) {
    return guarded(path, [&] { return read_connection(uri_of(path) + how); });
  };
  // Nobody writes a run there, and hosts cannot share SQLite's memory beside it.
  if (lies_on_network(path)) return connect("?immutable=1");
  // A closed run file is opened as immutable: then SQLite makes no shared memory, which a reader
  // would leave behind, and which cannot be made in a folder that cannot be written. A writer that
  // comes meanwhile writes to a journal first, so the file itself changes late.
  if (is_closed(path)) {
    if (auto closed = connect("?immutable=1")) return closed;
  }
  auto result = connect("?mode=ro");
  if (!result && result.error().message.ends_with(no_run_yet) && WriterLock::is_held(path)) {
    return Error{Failure::store, path + ": holds no run yet: its process is about to begin it"};
  }
  return result;
}

bool is_empty_database(const std::string& path) {
  forgo_statistics();
  const char* how = is_closed(path) ? "?immutable=1" : "?mode=ro";
  const auto empty = guarded(path, [&] {
    SQLite::Database database(uri_of(path) + how, SQLite::OPEN_READONLY | SQLITE_OPEN_URI, busy_ms);
    return !is_run_file(database);
  });
  return empty && *empty;
}

}  // namespace ke::sqlite
