#pragma once
// Tools that a model may call in a conversation. A request names them; each dialect writes their
// definitions in its API's format.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/llm_client.hpp"

namespace ke {

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
