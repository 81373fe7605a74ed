#pragma once
// A provider's reply, independent of the provider's API.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// Tokens of a call. `input` counts all tokens read, including cached ones; `output` counts all
/// tokens written, including reasoning.
struct Usage {
  std::int64_t input = 0;
  std::int64_t output = 0;
  std::int64_t cached = 0;         ///< part of input read from the provider's cache
  std::int64_t cache_written = 0;  ///< part of input written to the provider's cache
  std::int64_t reasoning = 0;      ///< part of output not shown in the reply
  /// Whether a provider reported any.
  bool counted() const { return input > 0 || output > 0; }
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

/// A provider's error. Its message may quote anything, including parts of the key.
struct WireError {
  std::string code;   ///< e.g. insufficient_quota
  std::string type;   ///< e.g. rate_limit_error, RESOURCE_EXHAUSTED
  std::string param;  ///< request parameter that the error names
  std::string message;
  int status = 0;  ///< HTTP status in the body, e.g. in a reply with status 200; 0 = none
  bool empty() const { return code.empty() && type.empty() && message.empty() && status == 0; }
};

/// A tool call of an API, possibly received in pieces.
struct AnswerCall {
  std::int64_t index = 0;  ///< index of the call in the reply
  std::string id;
  std::string name;
  std::string arguments;  ///< JSON, unless the model wrote it wrongly
  std::string signature;  ///< Gemini only: must be returned with the call
};

struct Answer {
  std::string status;  ///< ok | truncated | refused; "" until the provider reports why it stopped
  std::string text;
  std::string reasoning;  ///< shown by the model before its answer; never read for a kernel
  std::vector<AnswerCall> calls;
  std::string model;
  Usage usage;
  WireError error;

  /// The call with this index, created if new; null beyond `most_calls` calls.
  AnswerCall* call(std::int64_t index);
  /// Bytes of text, reasoning and calls.
  std::size_t size() const;
  /// Appends the calls to the text in canonical form.
  void write_calls();
};

/// Reads {"error": {"code", "type" | "status", "param", "message", "details": {"error_code"}}},
/// also in a list with one item, and {"type" | "object": "error", "code", "message"}. A numeric
/// code is an HTTP status. Empty when there is no error.
WireError read_wire_error(std::string_view body);

}  // namespace ke
