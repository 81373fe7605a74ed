#include "archive/run_copy.hpp"

#include <SQLiteCpp/Backup.h>
#include <sqlite3.h>

#include "archive/sqlite/sql.hpp"

namespace ke {

Result<void> copy_open_run(const std::string& from, const std::string& to) {
  return sqlite::guarded(from, [&] {
    constexpr int busy_ms = 10'000;
    SQLite::Database source(from, SQLite::OPEN_READONLY, busy_ms);
    SQLite::Database copy(to, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, busy_ms);
    // All pages within one read transaction.
    if (SQLite::Backup(copy, source).executeStep(-1) != SQLITE_DONE) sqlite::refuse("is busy");
  });
}

}  // namespace ke
