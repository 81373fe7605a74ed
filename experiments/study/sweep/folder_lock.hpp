#pragma once
// Lets only one process at a time work on a sweep's folder.

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

/// Creates the folder and its missing parents.
Result<void> make_folder(const std::string& folder);

}  // namespace ke
