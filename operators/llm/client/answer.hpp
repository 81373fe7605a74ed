#pragma once
// What a provider's reply says, in the terms of no provider.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ke {

/// Tokens of a call. `input` counts all tokens read, cached ones included; `output` counts all
/// tokens written, reasoning included.
struct Usage {
  std::int64_t input = 0;
  std::int64_t output = 0;
  std::int64_t cached = 0;         ///< part of input that was read from the provider's cache
  std::int64_t cache_written = 0;  ///< part of input that was written to the provider's cache
  std::int64_t reasoning = 0;      ///< part of output that the reply does not show
  Usage& operator+=(const Usage& other) {
    input += other.input;
    output += other.output;
    cached += other.cached;
    cache_written += other.cache_written;
    reasoning += other.reasoning;
    return *this;
  }
  friend bool operator==(const Usage&, const Usage&) = default;
};

/// Why a provider gave no answer. Its message may quote anything, parts of the key included.
struct WireError {
  std::string code;   ///< e.g. insufficient_quota
  std::string type;   ///< e.g. rate_limit_error, RESOURCE_EXHAUSTED
  std::string param;  ///< parameter of the request that it names
  std::string message;
  int status = 0;  ///< of HTTP as the body says it, e.g. in a reply with status 200; 0 = none
  bool empty() const { return code.empty() && type.empty() && message.empty() && status == 0; }
};

/// A tool call as an API gives it, perhaps in pieces.
struct AnswerCall {
  std::int64_t index = 0;  ///< which call of the reply it is
  std::string id;
  std::string name;
  std::string arguments;  ///< JSON, if the model wrote it well
  std::string signature;  ///< of Gemini: must come back with the call
};

/// One reply.
struct Answer {
  std::string status;  ///< ok | truncated | refused; "" until the provider says why it stopped
  std::string text;
  std::vector<AnswerCall> calls;
  std::string model;
  Usage usage;
  WireError error;

  /// The call of that index, begun when it is new; null beyond `most_calls` of them.
  AnswerCall* call(std::int64_t index);
  /// Bytes of text and calls.
  std::size_t size() const;
  /// Puts the calls into the text, in their canonical form.
  void write_calls();
};

}  // namespace ke
