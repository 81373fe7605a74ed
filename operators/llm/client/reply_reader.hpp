#pragma once
// Converts the bytes of one HTTP reply to an Answer as they arrive.

#include <chrono>
#include <string>
#include <string_view>

#include "operators/llm/client/dialect.hpp"

namespace ke {

/// Reads one reply. Memory is bounded, whatever the server sends.
class ReplyReader {
 public:
  enum class State {
    complete,   ///< answer() is complete
    cut,        ///< the stream ended early
    malformed,  ///< not valid in this dialect
    too_long,   ///< longer than `longest_reply`
    failed      ///< see answer().error
  };

  explicit ReplyReader(const Dialect& dialect) : dialect_(&dialect) {}
  /// Reads the next bytes, and returns how long to wait for more at most: as an HttpSink. The
  /// content type, not the request, decides whether the reply is read as a stream.
  std::chrono::milliseconds take(int status, std::string_view content_type, std::string_view bytes);
  /// The final state. `whole`: the transfer ended as its sender intended. Call once: it writes the
  /// tool calls into the answer's text.
  State finish(int status, bool whole);
  Answer& answer() { return answer_; }
  /// Bytes that the model wrote, as far as they arrived: text, reasoning and calls, or of a reply
  /// that cannot be read all of it.
  std::size_t written_bytes() const;

 private:
  State ended(int status, bool whole);
  std::chrono::milliseconds take_events(std::string_view bytes);
  const Dialect* dialect_;
  SseParser events_;
  std::string body_;
  Answer answer_;
  std::size_t bytes_ = 0;
  bool streamed_ = false;
  bool json_ = false;  ///< the reply says that it is JSON
  bool done_ = false;  ///< a stream said that nothing follows
  bool too_long_ = false;
  bool failed_ = false;
};

}  // namespace ke
