#pragma once
// Shared parts of several dialects' requests.

#include <map>
#include <string>
#include <vector>

#include "operators/llm/client/dialect.hpp"
#include "operators/llm/json.hpp"
#include "operators/llm/tools/tool_call.hpp"
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

/// "user" | "assistant" | "system".
std::string_view role_of(WireTurn::Kind kind);

/// The arguments of a call as a JSON object.
Json arguments_of(const ToolCall& call);

/// All system messages, separated by blank lines.
std::string system_text(const LlmRequest& request);
/// The settings of a request that its model accepts, as JSON values ("0.5" becomes a number).
std::map<std::string, Json> accepted_settings(const WireRequest& wire);
/// Writes the accepted settings into a body, each under its own name except the reasoning effort,
/// which goes to the JSON pointer `effort_place` ("/reasoning/effort").
void put_settings(const WireRequest& wire, const char* effort_place, Json& body);
/// The JSON object in an event; null when it has none.
Json object_of(const SseEvent& event);

}  // namespace ke
