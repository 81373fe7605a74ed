#pragma once
// Length-prefixed messages over a pair of descriptors, between an evaluator and its remote part.

#include <optional>
#include <string>
#include <string_view>

namespace ke {

/// Writes one complete frame; false when the other end is closed. Never raises SIGPIPE on sockets.
bool write_frame(int fd, std::string_view bytes);

/// Collects bytes until a frame is complete.
class FrameReader {
 public:
  explicit FrameReader(int fd) : fd_(fd) {}
  /// Reads available bytes, without blocking if the descriptor is non-blocking. False at the end of
  /// the stream and on an error.
  bool fill();
  /// The next complete frame; nothing while none is complete.
  std::optional<std::string> next();

 private:
  int fd_;
  std::string buffer_;
};

}  // namespace ke
