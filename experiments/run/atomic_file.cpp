#include "experiments/run/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ke {
namespace {

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return fsync(descriptor) == 0;
}

Error failed(const std::string& path) {
  return {Failure::store, fmt::format("{}: cannot be written: {}", path, std::strerror(errno))};
}

}  // namespace

Result<void> write_atomically(const std::string& path, std::string_view text) {
  const std::string fresh = fmt::format("{}.{}.tmp", path, getpid());
  const int descriptor = open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return failed(fresh);
  const bool written = write_all(descriptor, text);
  const bool closed = close(descriptor) == 0;
  if (!written || !closed || std::rename(fresh.c_str(), path.c_str()) != 0) {
    const Error error = failed(path);
    unlink(fresh.c_str());
    return error;
  }
  return {};
}

std::optional<std::string> content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

Result<void> make_folder(const std::string& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (!code) return {};
  return Error{Failure::store, fmt::format("{}: cannot be created: {}", folder, code.message())};
}

}  // namespace ke
