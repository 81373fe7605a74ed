#pragma once
// A child process that answers each line of text with one line.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ke {

/// Owns the process. The first line starts it; it is killed when it breaks the protocol. The next
/// line restarts it, up to `max_starts` starts in all. Not thread-safe.
class LineProgram {
 public:
  struct Options {
    std::vector<std::string> command;            ///< program, looked up in PATH, and its arguments
    std::chrono::milliseconds deadline{10'000};  ///< per answer
    std::int64_t max_starts = 1;
  };

  explicit LineProgram(Options options) : options_(std::move(options)) {}
  LineProgram(const LineProgram&) = delete;
  LineProgram& operator=(const LineProgram&) = delete;
  ~LineProgram() { stop(); }

  /// Sends a line (without its newline) and waits for the answer until the deadline. Errors: the
  /// program cannot start, exits, times out, answers more than one line or more than 1 MiB.
  Result<std::string> exchange(std::string_view line);
  bool runs() const { return socket_ >= 0; }
  /// Kills the process and all processes it started.
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
