#include "experiments/study/sweep/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

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

Result<void> make_folder(const std::string& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (!code) return {};
  return Error{Failure::store, fmt::format("{}: cannot be created: {}", folder, code.message())};
}

}  // namespace ke
