#pragma once
// A program beside us that answers one line of text for each line it is sent.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ke {

/// Owns the process. It is started by the first line and killed when it breaks the protocol; the
/// next line starts it afresh, up to `max_starts` times. Not thread-safe.
class LineProgram {
 public:
  struct Options {
    std::vector<std::string> command;            ///< program, looked up in PATH, and its arguments
    std::chrono::milliseconds deadline{10'000};  ///< for each answer
    std::int64_t max_starts = 1;
  };

  explicit LineProgram(Options options) : options_(std::move(options)) {}
  LineProgram(const LineProgram&) = delete;
  LineProgram& operator=(const LineProgram&) = delete;
  ~LineProgram() { stop(); }

  /// Sends a line (without its end) and waits for the answer, at most until the deadline. Errors:
  /// it cannot be started, died, was silent, answered more than one line or one beyond 1 MiB.
  Result<std::string> exchange(std::string_view line);
  bool runs() const { return socket_ >= 0; }
  /// Ends the process, with all that it started.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;
  Result<void> start();
  Result<void> send(std::string_view text, Clock::time_point deadline);
  Result<std::string> receive(Clock::time_point deadline);
  Result<void> wait(short events, Clock::time_point deadline) const;
  Error broken(std::string_view what) const;
  Options options_;
  std::int64_t starts_ = 0;
  int socket_ = -1;
  int process_ = -1;
  std::string received_;
};

}  // namespace ke
