#pragma once
// Opens run files and refuses everything else with one line.

#include <memory>
#include <string>

#include "archive/sqlite/sql.hpp"

namespace ke::sqlite {

struct WriteOptions {
  bool full_sync = true;       ///< synchronous=FULL; NORMAL can lose the last steps with the power
  std::int64_t max_bytes = 0;  ///< size at which the file counts as full; 0 = the disk's
  /// SQLite looks each reference of a row up as it is written; the writer has looked it up itself,
  /// and verify checks all of them.
  bool check_references = true;
};

/// What is said of a file without a run.
inline constexpr const char* no_run_yet =
    "holds no run yet: its process died before the first step; 'kernelevolve run' begins it anew";

/// Opens or creates a run file. The caller holds the writer lock.
Result<std::unique_ptr<Sql>> open_for_writing(const std::string& path, WriteOptions options);

/// Opens an existing run file read-only, while a writer runs or after it died.
Result<std::unique_ptr<Sql>> open_for_reading(const std::string& path);

/// Whether it is a database without anything in it: what a process leaves that dies while it
/// creates a run file.
bool is_empty_database(const std::string& path);

}  // namespace ke::sqlite
