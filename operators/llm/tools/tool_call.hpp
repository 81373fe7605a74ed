#pragma once
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
#include <string>
#include <string_view>
#include <vector>

#include "core/codec.hpp"

namespace ke {

struct ToolCall {
  std::string id;  ///< the provider's id; "" = the model wrote the call as text
  std::string tool;
  std::string arguments;  ///< JSON object as text, without `source`
  std::optional<std::string> source;
  std::string signature;  ///< opaque; must be returned to the provider with the call
  std::string fault;      ///< why it cannot be executed; "" = it can

  void encode(Encoder& out) const { out(id)(tool)(arguments)(source)(signature)(fault); }
  void decode(Decoder& in) { in(id)(tool)(arguments)(source)(signature)(fault); }
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

}  // namespace ke
