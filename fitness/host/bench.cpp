#include "fitness/host/bench.hpp"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace ke {

Result<TemporaryFile> TemporaryFile::write(const std::string& folder, const std::string& suffix,
                                           const std::string& bytes) {
  std::string path = folder + "/ke-XXXXXX" + suffix;
  const int fd = mkostemps(path.data(), static_cast<int>(suffix.size()), 0);
  if (fd < 0) {
    return Error{Failure::io, fmt::format("cannot write in {}: {}", folder, std::strerror(errno))};
  }
  TemporaryFile file(path);
  const ssize_t written = ::write(fd, bytes.data(), bytes.size());
  fchmod(fd, 0644);  // the worker has a different user id
  close(fd);
  if (written != static_cast<ssize_t>(bytes.size())) {
    return Error{Failure::io, fmt::format("cannot write {}: {}", path, std::strerror(errno))};
  }
  return file;
}

TemporaryFile& TemporaryFile::operator=(TemporaryFile&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) unlink(path_.c_str());
}

}  // namespace ke
