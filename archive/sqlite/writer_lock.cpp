#include "archive/sqlite/writer_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace ke::sqlite {
namespace {

std::string lock_path(const std::string& file) { return file + ".lock"; }

std::string owner(int descriptor) {
  char text[32] = {};
  const ssize_t count = pread(descriptor, text, sizeof text - 1, 0);
  return count > 0 ? fmt::format("process {}", std::string(text, static_cast<size_t>(count)))
                   : "another process";
}

// A writer removes its lock file at its end; who waited in open() then has a deleted inode.
bool still_there(const std::string& path, int descriptor) {
  struct stat by_name {};
  struct stat by_descriptor {};
  return stat(path.c_str(), &by_name) == 0 && fstat(descriptor, &by_descriptor) == 0 &&
         by_name.st_ino == by_descriptor.st_ino && by_name.st_dev == by_descriptor.st_dev;
}

struct flock whole_file(int type) {
  struct flock lock {};
  lock.l_type = static_cast<short>(type);
  lock.l_whence = SEEK_SET;
  return lock;
}

// For people to read; the lock does not depend on it.
void write_owner(int descriptor) {
  const std::string text = fmt::format("{}", getpid());
  if (ftruncate(descriptor, 0) == 0) {
    [[maybe_unused]] const ssize_t count = pwrite(descriptor, text.data(), text.size(), 0);
  }
}

}  // namespace

Result<WriterLock> WriterLock::take(const std::string& file) {
  const std::string path = lock_path(file);
  while (true) {
    const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor < 0) {
      return Error{Failure::store, fmt::format("{}: cannot be opened: {}", path, strerror(errno))};
    }
    struct flock lock_request = whole_file(F_WRLCK);
    if (fcntl(descriptor, F_OFD_SETLK, &lock_request) != 0) {
      const std::string who = owner(descriptor);
      close(descriptor);
      return Error{
          Failure::store,
          fmt::format("{}: {} is writing this run; only one writer is allowed", file, who)};
    }
    WriterLock lock(path, descriptor);
    if (still_there(path, descriptor)) {
      write_owner(descriptor);
      return lock;
    }
    close(std::exchange(lock.descriptor_, -1));
  }
}

bool WriterLock::is_held(const std::string& file) {
  const int descriptor = open(lock_path(file).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct flock question = whole_file(F_RDLCK);
  const bool held = fcntl(descriptor, F_OFD_GETLK, &question) == 0 && question.l_type != F_UNLCK;
  close(descriptor);
  return held;
}

WriterLock::WriterLock(WriterLock&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

WriterLock::~WriterLock() {
  if (descriptor_ < 0) return;
  unlink(path_.c_str());
  close(descriptor_);
}

}  // namespace ke::sqlite
