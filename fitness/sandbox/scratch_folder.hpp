#pragma once

#include <string>
#include <utility>

#include "core/result.hpp"
#include "fitness/sandbox/fd.hpp"

namespace ke {

/// A folder for the short-lived files of one process, removed with this object. The owner holds a
/// lock on it. The next process that makes a folder in the same parent removes unlocked ones, which
/// killed processes left behind.
class ScratchFolder {
 public:
  /// A new folder below `parent` that others may enter but not list. Error: Failure::io when it
  /// cannot be made.
  static Result<ScratchFolder> create(const std::string& parent);
  ScratchFolder(ScratchFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  const std::string& path() const { return path_; }

 private:
  ScratchFolder(std::string path, Fd lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::string path_;
  Fd lock_;
};

}  // namespace ke
