#pragma once
// Server-sent events: the text format of streamed replies.

#include <string>
#include <string_view>
#include <vector>

namespace ke {

struct SseEvent {
  std::string name;  ///< "" when the stream gives none
  std::string data;  ///< lines joined by '\n'
};

/// Splits a stream into events, independent of how it arrives in pieces. Lines end with LF, CR or
/// CRLF. Skips comments, unknown fields, `id`, `retry`, and an event cut off by the end of the
/// stream (https://html.spec.whatwg.org/multipage/server-sent-events.html, section 9.2.6).
class SseParser {
 public:
  /// The events that `bytes` complete.
  std::vector<SseEvent> feed(std::string_view bytes);
  /// Bytes buffered for incomplete events.
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
