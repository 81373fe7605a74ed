#pragma once
// The request and reply format of a provider's API.
// Parameters that a model accepts.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/llm_client.hpp"
#include "core/registry.hpp"
#include "operators/llm/client/answer.hpp"

namespace ke {

struct ModelTraits {
  /// Accepted sampling settings; empty = not known, and the model is sent all that are given.
  std::vector<std::string> accepts;
  /// Name of the output token limit in openai_chat.
  std::string max_tokens_name = "max_completion_tokens";
  bool native_tools = true;  ///< send tools in the request's own field; else only in the prompt
  bool takes(std::string_view setting) const;
};

/// Traits of the longest known prefix of the model's name.
ModelTraits traits_of(std::string_view model);

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

/// A request with all parameters of its wire format.
struct WireRequest {
  const LlmRequest& request;
  std::string_view model;
  std::int64_t max_output_tokens;
  bool stream;
  const ModelTraits& traits;
};

/// Result of one event of a stream. done: nothing of use follows.
enum class StreamStep { more, done, failed };

/// One API. Stateless: the caller's Answer accumulates the reply.
class Dialect {
 public:
  virtual ~Dialect() = default;
  /// The provider's own address.
  virtual std::string_view default_base_url() const = 0;
  /// The path after the base URL.
  virtual std::string path(const WireRequest& wire) const = 0;
  /// Headers other than the key and the content type, without line ends.
  virtual std::vector<std::string> headers(std::string_view /*api_version*/) const { return {}; }
  /// The key's header, up to the key.
  virtual std::string_view key_header() const { return "authorization: Bearer "; }
  virtual std::string body(const WireRequest& wire) const = 0;
  /// JSON pointer to a sampling setting in the body; "" if the API has no such setting.
  virtual std::string place_of(std::string_view setting) const = 0;
  /// Reads a complete reply; false when it is malformed.
  virtual bool read_reply(std::string_view body, Answer& answer) const = 0;
  /// Reads one event of a stream; `failed` sets answer.error.
  virtual StreamStep read_event(const SseEvent& event, Answer& answer) const = 0;
};

using DialectFactory = std::unique_ptr<Dialect> (*)();

/// All dialects, sorted by name.
std::span<const Component<DialectFactory>> dialects();

#define KE_DIALECT(name, doc) std::unique_ptr<Dialect> make_##name##_dialect();
#include "operators/llm/client/dialects/dialects.def"
#undef KE_DIALECT

}  // namespace ke
