#pragma once
// Writes replies in the providers' wire formats.

#include <string>
#include <vector>

namespace ke {

/// A tool call of a reply; its arguments are JSON text.
struct MockCall {
  std::string id;
  std::string name;
  std::string arguments;
};

/// A reply independent of the wire format.
struct MockAnswer {
  std::string dialect;
  std::string model;
  std::string text;
  std::vector<MockCall> calls = {};
  bool refused = false;
  bool reasoning = false;  ///< the text is reasoning; openai_chat only
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
};

/// Body of a reply that is not streamed.
std::string mock_body(const MockAnswer& answer);
/// Streamed reply as server-sent events, line ends included. Unless it is `whole`, it ends with the
/// event after the text, which is the first to tell why the model stopped.
std::vector<std::string> mock_events(const MockAnswer& answer, bool whole = true);
/// Body of an error in a dialect. `code` is OpenAI's.
std::string mock_error(const std::string& dialect, int status, const std::string& code,
                       const std::string& message);

}  // namespace ke
