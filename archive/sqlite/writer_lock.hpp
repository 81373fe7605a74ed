#pragma once
// One writer a run file, over the whole life of the process and not only over a transaction.

#include <optional>
#include <string>

#include "core/result.hpp"

namespace ke::sqlite {

/// Holds `<file>.lock` by an open-file-description lock of fcntl(2). The kernel frees it when the
/// process dies, however it dies; a file left behind means nothing. The lock is a file of its own
/// because closing any descriptor of the database would drop the locks of SQLite in the same
/// process. A process that forks without exec shares the lock: such children must close the
/// descriptors they inherit.
class WriterLock {
 public:
  /// Takes the lock or says at once who has it.
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
