#pragma once
// One writer per run file, for the whole life of the process rather than per transaction.

#include <optional>
#include <string>

#include "core/result.hpp"

namespace ke::sqlite {

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

}  // namespace ke::sqlite
