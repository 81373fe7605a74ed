#include "fitness/sandbox/scratch_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string_view>
#include <system_error>

#include "fitness/sandbox/fd.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "kernelevolve-scratch-";

/// Locks a folder; returns nothing when another process holds it or it is not this user's folder.
Fd lock_folder(const std::string& path) {
  Fd fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info;
  if (!fd || fstat(fd.get(), &info) != 0 || info.st_uid != geteuid()) return Fd();
  return flock(fd.get(), LOCK_EX | LOCK_NB) == 0 ? std::move(fd) : Fd();
}

void remove_abandoned(const std::string& parent) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(parent, ignored)) {
    if (!entry.path().filename().string().starts_with(prefix)) continue;
    if (const Fd lock = lock_folder(entry.path().string())) fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

Result<ScratchFolder> ScratchFolder::create(const std::string& parent) {
  remove_abandoned(parent);
  constexpr int tries = 10;  // another process may remove a new folder before it is locked
  for (int i = 0; i < tries; ++i) {
    std::string path = parent + "/" + std::string(prefix) + "XXXXXX";
    if (mkdtemp(path.data()) == nullptr) return os_error("cannot make a folder in " + parent);
    Fd lock = lock_folder(path);
    // Workers have a different user id.
    if (lock && chmod(path.c_str(), 0711) == 0) return ScratchFolder(path, std::move(lock));
  }
  return Error{Failure::io, "cannot keep a folder in " + parent};
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace ke
