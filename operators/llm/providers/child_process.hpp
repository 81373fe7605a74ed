#pragma once
// A program that reads a text and writes one, polled without blocking.

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ke {

/// Owns the process and its process group, and kills them on destruction. Not thread-safe.
class ChildProcess {
 public:
  enum class State { runs, done, failed, too_long };

  /// Starts `command` (looked up in PATH) with `input` as its standard input.
  static Result<ChildProcess> start(const std::vector<std::string>& command,
                                    std::string_view input);
  ChildProcess(ChildProcess&& other) noexcept { swap(other); }
  ChildProcess& operator=(ChildProcess&& other) noexcept {
    swap(other);
    return *this;
  }
  ~ChildProcess();

  /// Reads available output; more than `limit` bytes are too long. Never waits.
  State advance(std::size_t limit);
  /// The descriptor that becomes readable with more output; -1 after its end.
  int descriptor() const { return output_; }
  std::string& text() { return text_; }

 private:
  ChildProcess() = default;
  void swap(ChildProcess& other) noexcept;
  bool ended() const;
  void read_output(std::size_t limit);
  int reap();
  int process_ = -1;
  int output_ = -1;
  std::string text_;
};

}  // namespace ke
