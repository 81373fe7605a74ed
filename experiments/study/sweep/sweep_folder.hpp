#pragma once
// The folder of a sweep: one process at a time works on it, and readers see copied runs whole or
// not at all, on any file system.

#include <filesystem>
#include <string>
#include <utility>

#include "core/result.hpp"

namespace ke {

/// A lock on `<folder>/sweep.lock`; freed by the system when the process dies.
class FolderLock {
 public:
  static Result<FolderLock> take(const std::string& folder);
  FolderLock(FolderLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

/// Error if SQLite holds a part of the run in files beside it: a process writes it, or one was
/// killed.
Result<void> require_closed(const std::filesystem::path& run);

/// Copies durably under another name, then renames. A killed copy leaves `<to>.<host>.<pid>.part`.
Result<void> copy_whole(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace ke
