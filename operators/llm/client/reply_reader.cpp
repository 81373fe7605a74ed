#include "operators/llm/client/reply_reader.hpp"

#include "operators/llm/client/answer.hpp"
#include "operators/llm/exchange_json.hpp"

namespace ke {
namespace {

using std::chrono::milliseconds;

// JSON escapes a byte in at most six; a stream wraps every few bytes in an event.
constexpr std::size_t longest_body = 6 * longest_reply;
constexpr std::size_t longest_stream = 64 * longest_reply;

// How long to wait for the next bytes of a stream. Servers may keep the connection open after the
// end; those that close it are waited for, so that the connection can be used again.
constexpr milliseconds no_more(0);
constexpr milliseconds after_end(250);    // the answer and its counts are there
constexpr milliseconds after_stop(3000);  // the model has stopped; the counts may follow
constexpr milliseconds as_requested = milliseconds::max();

}  // namespace

milliseconds ReplyReader::take(int status, std::string_view content_type, std::string_view bytes) {
  bytes_ += bytes.size();
  streamed_ = status == 200 && content_type.starts_with("text/event-stream");
  json_ = content_type.starts_with("application/json");
  too_long_ = too_long_ || bytes_ > (streamed_ ? longest_stream : longest_body);
  if (too_long_) return no_more;
  if (streamed_) return take_events(bytes);
  body_.append(bytes);
  return as_requested;
}

milliseconds ReplyReader::take_events(std::string_view bytes) {
  for (const SseEvent& event : events_.feed(bytes)) {
    const StreamStep step = dialect_->read_event(event, answer_);
    failed_ = step == StreamStep::failed;
    done_ = done_ || step == StreamStep::done;
    if (failed_) return no_more;
  }
  too_long_ = answer_.size() > longest_reply || events_.pending_bytes() > longest_body;
  if (too_long_) return no_more;
  if (done_ || (!answer_.status.empty() && answer_.usage.counted())) return after_end;
  return answer_.status.empty() ? as_requested : after_stop;
}

std::size_t ReplyReader::written_bytes() const {
  const std::size_t read = answer_.size();
  return read == 0 && json_ && answer_.error.empty() ? body_.size() : read;
}

ReplyReader::State ReplyReader::finish(int status, bool whole) {
  const State state = ended(status, whole);
  answer_.write_calls();
  const bool grown = state == State::complete && answer_.text.size() > longest_reply;
  return grown ? State::too_long : state;
}

ReplyReader::State ReplyReader::ended(int status, bool whole) {
  if (too_long_) return State::too_long;
  if (failed_) return State::failed;
  if (status != 200) {
    answer_.error = read_wire_error(body_);
    return State::failed;
  }
  // A stream is complete once it reported why the model stopped; later events only count tokens.
  if (streamed_) return answer_.status.empty() ? State::cut : State::complete;
  if (!whole) return State::cut;
  const bool is_reply = dialect_->read_reply(body_, answer_);
  if (!is_reply && answer_.error.empty()) answer_.error = read_wire_error(body_);
  if (!answer_.error.empty()) return State::failed;
  return is_reply ? State::complete : State::malformed;
}

}  // namespace ke
