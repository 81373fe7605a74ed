#include "archive/run_folder.hpp"

#include <SQLiteCpp/Backup.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>

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

namespace fs = std::filesystem;

Result<std::vector<std::string>> list_run_files(const std::string& path) {
  std::error_code error;
  std::vector<fs::path> files;
  if (fs::is_directory(path, error)) {
    fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, error);
    for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
      if (at->path().extension() == ".kev") files.push_back(at->path());
    }
  } else if (fs::exists(path, error)) {
    files.emplace_back(path);
  }
  if (error) return Error{Failure::store, path + ": " + error.message()};
  if (files.empty()) return Error{Failure::store, path + ": no run file (*.kev) here"};
  std::sort(files.begin(), files.end());
  std::vector<std::string> paths;
  for (const fs::path& file : files) paths.push_back(file.string());
  return paths;
}

}  // namespace ke
