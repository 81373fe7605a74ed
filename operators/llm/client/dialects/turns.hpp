#pragma once
// A conversation as APIs see it: tool calls and their results apart from the text.

#include <string>
#include <vector>

#include "operators/llm/client/dialect.hpp"
#include "operators/llm/json.hpp"
#include "operators/llm/tools/tool_call.hpp"
#include "operators/llm/tools/tool_table.hpp"

namespace ke {

/// One message, or the results of all calls of the message before.
struct WireTurn {
  enum class Kind { system, user, assistant, results };
  Kind kind = Kind::user;
  std::string text;                  ///< of an assistant with calls: what stands beside them
  std::vector<ToolCall> calls;       ///< of an assistant
  std::vector<std::string> results;  ///< of each of these calls, in their order
};

/// The messages of a request. A call is one of the API where the API made it (it has an id) and
/// every call of its message has a result; all else is text, results as one user message.
std::vector<WireTurn> turns_of(const WireRequest& wire);

/// The tools to offer in the request's own field; none where the model takes no tools.
std::vector<const ToolSpec*> native_tools(const WireRequest& wire);

/// JSON schema of a tool's arguments.
Json parameters_of(const ToolSpec& tool);

/// "user" | "assistant" | "system".
std::string_view role_of(WireTurn::Kind kind);

/// The arguments of a call as a JSON object.
Json arguments_of(const ToolCall& call);

}  // namespace ke
