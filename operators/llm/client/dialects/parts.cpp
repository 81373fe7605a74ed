#include "operators/llm/client/dialects/parts.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace ke {
namespace {

using Kind = WireTurn::Kind;

constexpr std::string_view result_role = "tool";

Kind kind_of(std::string_view role) {
  if (role == "system") return Kind::system;
  return role == "assistant" ? Kind::assistant : Kind::user;
}

class TurnList {
 public:
  explicit TurnList(const WireRequest& wire)
      : messages_(wire.request.messages), native_(wire.traits.native_tools) {}

  std::vector<WireTurn> write() {
    for (std::size_t at = 0; at < messages_.size();) at = turn(at);
    return std::move(turns_);
  }

 private:
  /// Converts the message at `at` and the results after it; returns the index of the next one.
  std::size_t turn(std::size_t at) {
    std::size_t end = at + 1;
    while (end < messages_.size() && messages_[end].role == result_role) ++end;
    const Message& message = messages_[at];
    if (message.role == result_role) return text_results(at, end);
    if (message.role != "assistant" || end == at + 1 || !native_turn(at, end)) {
      turns_.push_back({kind_of(message.role), message.text, {}, {}});
      return at + 1;
    }
    return end;
  }

  /// False when the calls are not the API's own, or not all answered.
  bool native_turn(std::size_t at, std::size_t end) {
    if (!native_) return false;
    ToolReply reply = read_tool_reply(messages_[at].text);
    const bool whole = reply.calls.size() == end - at - 1 &&
                       std::ranges::none_of(reply.calls, &std::string::empty, &ToolCall::id);
    if (!whole) return false;
    WireTurn results{Kind::results, "", reply.calls, {}};
    for (std::size_t i = at + 1; i < end; ++i) results.results.push_back(messages_[i].text);
    turns_.push_back({Kind::assistant, std::string(trim(reply.prose)), std::move(reply.calls), {}});
    turns_.push_back(std::move(results));
    return true;
  }

  std::size_t text_results(std::size_t at, std::size_t end) {
    std::string text;
    for (std::size_t i = at; i < end; ++i) text += (i > at ? "\n" : "") + messages_[i].text;
    turns_.push_back({Kind::user, std::move(text), {}, {}});
    return end;
  }

  const std::vector<Message>& messages_;
  bool native_;
  std::vector<WireTurn> turns_;
};

}  // namespace

std::vector<WireTurn> turns_of(const WireRequest& wire) { return TurnList(wire).write(); }

std::vector<const ToolSpec*> native_tools(const WireRequest& wire) {
  if (!wire.traits.native_tools) return {};
  return offered_tools(wire.request);
}

Json parameters_of(const ToolSpec& tool) { return parse_json(tool.parameters); }

std::string_view role_of(WireTurn::Kind kind) {
  if (kind == Kind::system) return "system";
  return kind == Kind::assistant ? "assistant" : "user";
}

Json arguments_of(const ToolCall& call) { return parse_json(wire_arguments(call)); }

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
