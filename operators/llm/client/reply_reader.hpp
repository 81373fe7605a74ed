#pragma once
// Converts the bytes of one HTTP reply to an Answer as they arrive.

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
  /// Reads the next bytes; false when the rest is not needed. The content type, not the request,
  /// decides whether the reply is read as a stream.
  bool take(int status, std::string_view content_type, std::string_view bytes);
  /// The final state. `whole`: the transfer ended as its sender intended. Call once: it writes the
  /// tool calls into the answer's text.
  State finish(int status, bool whole);
  Answer& answer() { return answer_; }

 private:
  State ended(int status, bool whole);
  bool take_events(std::string_view bytes);
  const Dialect* dialect_;
  SseParser events_;
  std::string body_;
  Answer answer_;
  std::size_t bytes_ = 0;
  bool streamed_ = false;
  bool too_long_ = false;
  bool failed_ = false;
};

}  // namespace ke
