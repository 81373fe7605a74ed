#include "operators/llm/client/dialects/parts.hpp"

#include "operators/llm/tools/tool_table.hpp"

namespace ke {

std::string system_text(const LlmRequest& request) {
  std::string text;
  for (const Message& message : request.messages) {
    if (message.role != "system") continue;
    if (!text.empty()) text += "\n\n";
    text += message.text;
  }
  return text;
}

std::map<std::string, Json> accepted_settings(const WireRequest& wire) {
  std::map<std::string, Json> accepted;
  for (const auto& [name, text] : wire.request.settings) {
    if (!wire.traits.takes(name) || name == tools_setting) continue;
    const Json value = parse_json(text);
    accepted[name] = value.is_primitive() && !value.is_discarded() ? value : Json(text);
  }
  return accepted;
}

void put_settings(const WireRequest& wire, const char* effort_place, Json& body) {
  for (const auto& [name, value] : accepted_settings(wire)) {
    body[Json::json_pointer(name == "effort" ? effort_place : "/" + name)] = value;
  }
}

Json object_of(const SseEvent& event) {
  Json json = parse_json(event.data);
  return json.is_object() ? json : Json();
}

}  // namespace ke
