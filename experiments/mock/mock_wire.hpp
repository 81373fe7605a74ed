#pragma once
// Replies as providers write them.

#include <string>
#include <vector>

namespace ke {

/// A tool call of a reply; its arguments are JSON text.
struct MockCall {
  std::string id;
  std::string name;
  std::string arguments;
};

/// A reply without its form.
struct MockAnswer {
  std::string dialect;
  std::string model;
  std::string text;
  std::vector<MockCall> calls = {};
  bool refused = false;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
};

/// The body of a reply that comes at once.
std::string mock_body(const MockAnswer& answer);
/// A stream: one server-sent event, line ends included, after the other.
std::vector<std::string> mock_events(const MockAnswer& answer);
/// The body of an error in the form of a dialect. `code` is OpenAI's.
std::string mock_error(const std::string& dialect, int status, const std::string& code,
                       const std::string& message);

}  // namespace ke
