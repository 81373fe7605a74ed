#pragma once
// Opens run files; refuses other files, and file systems of several hosts, on which the shared
// memory of WAL does not work. One writer per run file, for the whole life of the process.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "archive/sqlite/sql.hpp"
#include "core/result.hpp"

namespace ke::sqlite {

/// Name of the network file system with this magic number of statfs; "" for local ones.
std::string_view network_file_system(std::uint64_t magic);

/// True on NFS, CIFS and other network file systems.
bool lies_on_network(const std::string& path);

/// Whether run files can be written in the folder of `path`: it exists, is writable and local.
Result<void> check_folder(const std::string& path);

/// Holds `<file>.lock` with an open-file-description lock of fcntl(2). The kernel releases it when
/// the process dies; a leftover file has no meaning. The lock is a separate file because closing
/// any descriptor of the database would drop SQLite's locks in the same process. A process that
/// forks without exec shares the lock: such children must close the inherited descriptors.
class WriterLock {
 public:
  /// Takes the lock, or fails at once and names the holder.
  static Result<WriterLock> take(const std::string& file);
  /// Whether a living process holds the lock of `file`.
  static bool is_held(const std::string& file);

  WriterLock(WriterLock&& other) noexcept;
  WriterLock& operator=(WriterLock&&) = delete;
  ~WriterLock();

 private:
  WriterLock(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::string path_;
  int descriptor_;
};

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
