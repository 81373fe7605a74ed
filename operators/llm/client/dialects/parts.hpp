#pragma once
// Shared parts of several dialects' requests.

#include <initializer_list>
#include <string>
#include <vector>

#include "operators/llm/client/answer.hpp"
#include "operators/llm/client/dialect.hpp"
#include "operators/llm/json.hpp"
#include "operators/llm/tools/tool_table.hpp"

namespace ke {

/// One message, or the results of all calls of the previous message.
struct WireTurn {
  enum class Kind { system, user, assistant, results };
  Kind kind = Kind::user;
  std::string text;                  ///< an assistant's text beside its calls
  std::vector<ToolCall> calls;       ///< an assistant's calls
  std::vector<std::string> results;  ///< results of those calls, in their order
};

/// The messages of a request. A call is sent as an API call if the API made it (it has an id) and
/// every call of its message has a result; otherwise as text, with the results as one user message.
std::vector<WireTurn> turns_of(const WireRequest& wire);

/// The tools for the request's own field; none if the model does not support tools.
std::vector<const ToolSpec*> native_tools(const WireRequest& wire);

/// JSON schema of a tool's arguments.
Json parameters_of(const ToolSpec& tool);

/// The role that APIs give to a kind of message: "user" | "assistant" | "system".
std::string_view role_of(WireTurn::Kind kind);

/// The arguments of a call as a JSON object.
Json arguments_of(const ToolCall& call);

/// All system messages, separated by blank lines.
std::string system_text(const LlmRequest& request);
/// Writes the sampling settings of a request into a body, each where the API expects it.
void put_settings(const WireRequest& wire, const Dialect& dialect, Json& body);
/// Appends a message's content to the answer: a text, or a list of texts and parts. Texts that the
/// model marks as reasoning go to `answer.reasoning`.
void read_content(const Json& content, Answer& answer);
/// Appends all texts in `value` to the answer's reasoning.
void read_reasoning(const Json& value, Answer& answer);
/// The first of several fields that holds a number above 0; 0 if none does.
std::int64_t first_count(const Json& json, std::initializer_list<std::string_view> paths);
/// The JSON object in an event; null when it has none.
Json object_of(const SseEvent& event);

}  // namespace ke
