#pragma once
// Tools that a model may call in a conversation. A request names them; each dialect writes their
// definitions as its API wants them.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/llm_client.hpp"

namespace ke {

struct ToolSpec {
  std::string_view name;
  std::string_view doc;         ///< what it does, for the model
  std::string_view parameters;  ///< JSON schema of its arguments
  bool takes_source;            ///< whether a whole kernel file may stand behind the call
};

/// All tools, in the order in which prompts show them.
std::span<const ToolSpec> agent_tools();

/// Null when there is none of that name.
const ToolSpec* find_tool(std::string_view name);

/// The setting of a request that says which tools it offers.
inline constexpr std::string_view tools_setting = "tools";

/// Its value: "agent/1 compile check .."; the number changes with the table.
std::string offer_of(std::span<const ToolSpec* const> tools);

/// The tools that a request offers; none when its setting is missing or of another version.
std::vector<const ToolSpec*> offered_tools(const LlmRequest& request);

}  // namespace ke
