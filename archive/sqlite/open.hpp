#pragma once
// Opens run files; refuses other files with a one-line error.

#include <memory>
#include <string>

#include "archive/sqlite/sql.hpp"

namespace ke::sqlite {

struct WriteOptions {
  bool full_sync = true;       ///< synchronous=FULL; NORMAL can lose the last steps on power loss
  std::int64_t max_bytes = 0;  ///< maximum file size; 0 = limited by the disk
  /// Lets SQLite check each foreign key on write. The writer has checked them itself, and verify
  /// checks all of them.
  bool check_references = true;
};

/// Error message for a file without a run.
inline constexpr const char* no_run_yet =
    "holds no run yet: its process died before the first step; 'kernelevolve run' begins it anew";

/// Opens or creates a run file. The caller must hold the writer lock.
Result<std::unique_ptr<Sql>> open_for_writing(const std::string& path, WriteOptions options);

/// Opens an existing run file read-only, during or after the writer's life.
Result<std::unique_ptr<Sql>> open_for_reading(const std::string& path);

/// Whether the file is an empty database, as left by a process that died while creating a run file.
bool is_empty_database(const std::string& path);

}  // namespace ke::sqlite
