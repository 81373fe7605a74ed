#include "experiments/study/sweep/sweep_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <sys/utsname.h>
#include <cerrno>
#include <filesystem>

namespace ke {

Result<FolderLock> FolderLock::take(const std::string& folder) {
  const std::string path = folder + "/sweep.lock";
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return Error{Failure::store, path + ": cannot be written"};
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return FolderLock(descriptor);
  close(descriptor);
  return Error{Failure::store, folder + ": another process is running this sweep"};
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

namespace {

namespace fs = std::filesystem;

/// Several hosts may copy into one folder.
fs::path part_of(const fs::path& to) {
  utsname names{};
  uname(&names);
  return fmt::format("{}.{}.{}.part", to.string(), names.nodename, getpid());
}

std::error_code synced(const fs::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool done = descriptor >= 0 && fsync(descriptor) == 0;
  const std::error_code code =
      done ? std::error_code() : std::error_code(errno, std::generic_category());
  if (descriptor >= 0) close(descriptor);
  return code;
}

}  // namespace

Result<void> require_closed(const fs::path& run) {
  std::error_code code;
  const auto bytes = fs::file_size(run.string() + "-wal", code);
  if (code || bytes == 0) return {};
  return Error{Failure::store, run.string() +
                                   ": is being written, or its process was killed; "
                                   "run that shard again"};
}

Result<void> copy_whole(const fs::path& from, const fs::path& to) {
  const fs::path part = part_of(to);
  std::error_code code;
  fs::copy_file(from, part, fs::copy_options::overwrite_existing, code);
  if (!code) code = synced(part);
  if (!code) fs::rename(part, to, code);
  if (!code) return {};
  std::error_code ignored;
  fs::remove(part, ignored);
  return Error{Failure::store, fmt::format("{}: cannot be copied to {}: {}", from.string(),
                                           to.string(), code.message())};
}

}  // namespace ke
