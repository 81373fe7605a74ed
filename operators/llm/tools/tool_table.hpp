#pragma once
// Tools that a model may call in a conversation. A request names them; each dialect writes their
// definitions in its API's format.
// Tool calls in the text of a reply. Stores, mailboxes and programs use only this format; dialects
// translate their APIs' calls to it and back.
//
//     ```tool
//     {"tool": "check", "arguments": {}}
//     ```
//     ```cpp
//     a complete kernel file, for tools that take one
//     ```

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec.hpp"
#include "core/llm_client.hpp"

namespace ke {

struct ToolCall {
  std::string id;  ///< the provider's id; "" = the model wrote the call as text
  std::string tool;
  std::string arguments;  ///< JSON object as text, without `source`
  std::optional<std::string> source;
  std::string signature;  ///< opaque; must be returned to the provider with the call
  std::string fault;      ///< why it cannot be executed; "" = it can
  KE_CODED(id, tool, arguments, source, signature, fault)
};

/// Contents of a reply in a conversation with tools.
struct ToolReply {
  std::vector<ToolCall> calls;
  std::string prose;      ///< the lines outside all calls
  bool has_code = false;  ///< has a code fence outside all calls
};

/// Further calls in one reply are ignored.
constexpr std::size_t most_calls = 32;

/// Reads the calls of a reply: fences labelled `tool` (also tool_call, tool_use, and json that
/// names a tool) with a JSON object {"tool", "arguments"}. A call that takes a kernel, but has
/// neither `source` nor a `kernel` name, takes the next fence as its source. An unreadable call has
/// a fault. Ignores reasoning. Linear.
ToolReply read_tool_reply(std::string_view reply);

/// Prefix of our own ids, for calls of providers that give none.
inline constexpr std::string_view made_id = "ke_call_";

/// A provider's call: `arguments` is the model's text, valid JSON or not.
ToolCall native_call(std::string id, std::string tool, std::string_view arguments,
                     std::string signature);

/// A source in a fence that no line of it closes.
std::string fenced_source(std::string_view source);

/// The call as reply text; read_tool_reply restores it, with LF line ends and one after the source.
std::string tool_call_text(const ToolCall& call);

/// The arguments with `source` as JSON text, for providers. Malformed ones are below `malformed`.
std::string wire_arguments(const ToolCall& call);

/// Arguments nested deeper are malformed.
constexpr std::size_t deepest_json = 64;

struct ToolSpec {
  std::string_view name;
  std::string_view doc;         ///< its effect, for the model
  std::string_view parameters;  ///< JSON schema of its arguments
  bool takes_source;            ///< whether a complete kernel file may follow the call
};

/// All tools in the order of the prompts.
std::span<const ToolSpec> agent_tools();

/// Finds a tool by name; null if unknown.
const ToolSpec* find_tool(std::string_view name);

/// The request setting that names the offered tools.
inline constexpr std::string_view tools_setting = "tools";

/// The value of that setting: "agent/1 compile check .."; the number changes with the table.
std::string offer_of(std::span<const ToolSpec* const> tools);

/// The tools that a request offers; none if the setting is missing or has another version.
std::vector<const ToolSpec*> offered_tools(const LlmRequest& request);

}  // namespace ke
