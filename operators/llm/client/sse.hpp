#pragma once
// Server-sent events: the text format of streamed replies.

#include <string>
#include <string_view>
#include <vector>

namespace ke {

struct SseEvent {
  std::string name;  ///< "" when the stream names none
  std::string data;  ///< lines joined by '\n'
};

/// Cuts a stream into events, however it is split into pieces. Lines end with LF, CR or CRLF;
/// comments, unknown fields, `id` and `retry` are skipped, and so is an event that the end of the
/// stream cuts (https://html.spec.whatwg.org/multipage/server-sent-events.html, section 9.2.6).
class SseParser {
 public:
  /// The events that `bytes` complete.
  std::vector<SseEvent> feed(std::string_view bytes);
  /// Bytes held for events to come.
  std::size_t pending_bytes() const { return line_.size() + event_.data.size(); }

 private:
  void end_line(std::vector<SseEvent>& events);
  std::string line_;
  SseEvent event_;
  bool has_data_ = false;
  bool after_return_ = false;  ///< a LF that follows belongs to the same line end
  bool at_start_ = true;
};

}  // namespace ke
