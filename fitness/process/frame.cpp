#include "fitness/process/frame.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace ke {
namespace {

constexpr std::uint64_t longest = std::uint64_t{1} << 30;

bool write_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) {
      pollfd writable{fd, POLLOUT, 0};
      poll(&writable, 1, -1);
      continue;
    }
    if (sent <= 0) return false;
    data += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

}  // namespace

bool write_frame(int fd, std::string_view bytes) {
  std::string frame(sizeof(std::uint64_t), '\0');
  const std::uint64_t size = bytes.size();
  std::memcpy(frame.data(), &size, sizeof size);
  frame.append(bytes);
  return write_all(fd, frame.data(), frame.size());
}

bool FrameReader::fill() {
  char chunk[65536];
  for (;;) {
    const ssize_t got = read(fd_, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN;
    if (got == 0) return false;
    buffer_.append(chunk, static_cast<std::size_t>(got));
    return true;
  }
}

std::optional<std::string> FrameReader::next() {
  std::uint64_t size = 0;
  if (buffer_.size() < sizeof size) return std::nullopt;
  std::memcpy(&size, buffer_.data(), sizeof size);
  if (size > longest || buffer_.size() - sizeof size < size) return std::nullopt;
  std::string frame = buffer_.substr(sizeof size, size);
  buffer_.erase(0, sizeof size + size);
  return frame;
}

}  // namespace ke
