#include "operators/llm/tools/tool_table.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace ke {
namespace {

constexpr std::string_view table_version = "agent/1";

constexpr std::string_view kernel_schema =
    R"({"type":"object","properties":{)"
    R"("source":{"type":"string","description":"a whole new kernel file"},)"
    R"("kernel":{"type":"string","description":"instead of source: parent, or k1, k2, .. as earlier results call it"}}})";

constexpr std::string_view query_schema =
    R"({"type":"object","properties":{)"
    R"("query":{"type":"string","description":"words to look for"}},"required":["query"]})";

constexpr std::string_view show_schema =
    R"({"type":"object","properties":{)"
    R"("kernel":{"type":"string","description":"an id such as 12.0.0, or best, parent, k1; elites lists the elites"},)"
    R"("cell":{"type":"integer","description":"instead of kernel: the elite of this cell of the archive"}}})";

constexpr ToolSpec tool_table[] = {
    {"compile",
     "Compiles a kernel. Answers with the compiler's messages, or registers, spills and "
     "other measures of the binary.",
     kernel_schema, true},
    {"check",
     "Compiles a kernel and runs it on the test shapes. Answers whether it is right, or "
     "with the first mismatch. Nothing is timed.",
     kernel_schema, true},
    {"time",
     "Checks a kernel and times it on the bench shapes, against the task's own kernel and "
     "your parent. Costs one timed kernel.",
     kernel_schema, true},
    {"profile",
     "Compiles a kernel and runs it under the device's sanitizers and profiler. Answers "
     "with what they found, and with what the binary looks like.",
     kernel_schema, true},
    {"look_up", "Looks up what is known of machines, languages and kinds of kernels.", query_schema,
     false},
    {"show", "Shows another kernel of this search, with its scores.", show_schema, false},
    {"submit", "Ends the conversation with this kernel as your answer.", kernel_schema, true},
};

}  // namespace

std::span<const ToolSpec> agent_tools() { return tool_table; }

const ToolSpec* find_tool(std::string_view name) {
  const auto* found = std::ranges::find(tool_table, name, &ToolSpec::name);
  return found == std::end(tool_table) ? nullptr : found;
}

std::string offer_of(std::span<const ToolSpec* const> tools) {
  std::string offer(table_version);
  for (const ToolSpec* tool : tools) offer.append(" ").append(tool->name);
  return offer;
}

std::vector<const ToolSpec*> offered_tools(const LlmRequest& request) {
  const auto setting = request.settings.find(std::string(tools_setting));
  if (setting == request.settings.end()) return {};
  std::vector<const ToolSpec*> tools;
  const auto words = split(setting->second, ' ');
  if (words.front() != table_version) return {};
  for (const std::string_view word : words) {
    if (const ToolSpec* tool = find_tool(word)) tools.push_back(tool);
  }
  return tools;
}

}  // namespace ke
