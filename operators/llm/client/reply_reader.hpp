#pragma once
// Turns the bytes of one HTTP reply into an Answer, as they come.

#include <string>
#include <string_view>

#include "operators/llm/client/dialect.hpp"

namespace ke {

/// Reads one reply. Bounded in memory, whatever the other side sends.
class ReplyReader {
 public:
  enum class State {
    complete,   ///< answer() is an answer
    cut,        ///< a stream that ended before its end
    malformed,  ///< nothing that this dialect writes
    too_long,   ///< beyond `longest_reply`
    failed      ///< answer().error says why
  };

  explicit ReplyReader(const Dialect& dialect) : dialect_(&dialect) {}
  /// Takes the next bytes; false when the rest is not wanted. A reply is read as a stream when its
  /// content type says that it is one, whatever was asked.
  bool take(int status, std::string_view content_type, std::string_view bytes);
  /// What became of it. `whole`: the transfer ended as its sender meant it to. Call once: tool
  /// calls of the answer are part of its text then.
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
