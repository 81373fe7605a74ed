#include "operators/llm/client/dialects/parts.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "operators/llm/sampling.hpp"

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

void put_settings(const WireRequest& wire, const Dialect& dialect, Json& body) {
  for (const std::string_view name : sampling_names()) {
    const auto given = wire.request.settings.find(std::string(name));
    const std::string place = dialect.place_of(name);
    if (given == wire.request.settings.end() || place.empty()) continue;
    const Json number = parse_json(given->second);
    body[Json::json_pointer(place)] = number.is_number() ? number : Json(given->second);
  }
}

void read_reasoning(const Json& value, Answer& answer) {
  if (value.is_string()) answer.reasoning += value.get<std::string>();
  if (!value.is_structured()) return;
  for (const auto& [name, part] : value.items()) {
    const bool holds_text = value.is_array() || name == "text" || name == "thinking" ||
                            name == "summary" || name == "content";
    if (holds_text) read_reasoning(part, answer);
  }
}

void read_content(const Json& content, Answer& answer) {
  if (content.is_string()) answer.text += content.get<std::string>();
  if (content.is_array()) {
    for (const Json& part : content) read_content(part, answer);
  }
  if (!content.is_object()) return;
  const std::string type = text_at(content, "type");
  if (type == "refusal") answer.status = "refused";
  if (type == "thinking" || type == "reasoning") read_reasoning(content, answer);
  if (type == "text" || type == "output_text" || type.empty()) {
    answer.text += text_at(content, "text");
  }
}

std::int64_t first_count(const Json& json, std::initializer_list<std::string_view> paths) {
  for (const std::string_view path : paths) {
    if (const std::int64_t count = count_at(json, path); count > 0) return count;
  }
  return 0;
}

Json object_of(const SseEvent& event) {
  Json json = parse_json(event.data);
  return json.is_object() ? json : Json();
}

}  // namespace ke
