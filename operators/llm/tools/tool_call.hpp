#pragma once
// Tool calls in the text of a reply. This is their one form in stores, mailboxes and programs;
// dialects translate the calls of their APIs into it and back.
//
//     ```tool
//     {"tool": "check", "arguments": {}}
//     ```
//     ```cpp
//     a whole kernel file, for tools that take one
//     ```

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec.hpp"

namespace ke {

struct ToolCall {
  std::string id;  ///< as the provider called it; "" = the model wrote the call as text
  std::string tool;
  std::string arguments;  ///< text of a JSON object without `source`
  std::optional<std::string> source;
  std::string signature;  ///< the provider wants it back with the call; opaque
  std::string fault;      ///< why it cannot be carried out; "" = it can

  void encode(Encoder& out) const { out(id)(tool)(arguments)(source)(signature)(fault); }
  void decode(Decoder& in) { in(id)(tool)(arguments)(source)(signature)(fault); }
};

/// What a reply of a conversation with tools holds.
struct ToolReply {
  std::vector<ToolCall> calls;
  std::string prose;      ///< the lines of the reply that belong to no call
  bool has_code = false;  ///< a code fence that belongs to no call
};

/// More calls of one reply are left out.
constexpr std::size_t most_calls = 32;

/// Reads the calls of a reply: fences `tool` (also tool_call, tool_use, and json that names a tool)
/// with a JSON object {"tool", "arguments"}. A call that takes a kernel, and neither has `source`
/// nor names a `kernel`, takes the next fence as its source. A call that cannot be read has a
/// fault. Reasoning does not count. Linear.
ToolReply read_tool_reply(std::string_view reply);

/// How ids begin that are ours, for calls of providers that give none.
inline constexpr std::string_view made_id = "ke_call_";

/// A call as a provider gave it: `arguments` is what the model wrote, JSON or not.
ToolCall native_call(std::string id, std::string tool, std::string_view arguments,
                     std::string signature);

/// A source in a fence that nothing in it closes.
std::string fenced_source(std::string_view source);

/// The call as text of a reply; read_tool_reply reads it back, with line ends LF and one at the end
/// of the source.
std::string tool_call_text(const ToolCall& call);

/// The arguments with `source` as text of a JSON object, for providers. What was malformed stands
/// below the key `malformed`.
std::string wire_arguments(const ToolCall& call);

/// Deeper arguments are malformed.
constexpr std::size_t deepest_json = 64;

}  // namespace ke
