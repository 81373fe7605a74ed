#include "operators/llm/client/answer.hpp"
#include "operators/llm/client/dialects/parts.hpp"

namespace ke {
namespace {

std::string anthropic_status(const std::string& stop_reason) {
  if (stop_reason == "max_tokens" || stop_reason == "model_context_window_exceeded") {
    return "truncated";
  }
  return stop_reason == "refusal" ? "refused" : "ok";
}

/// This API's input tokens exclude cached ones; ours include them. A stream reports running totals,
/// and an event may omit some.
void read_anthropic_usage(const Json& usage, Answer& answer) {
  if (usage.contains("input_tokens")) {
    answer.usage.cached = count_at(usage, "cache_read_input_tokens");
    answer.usage.cache_written = count_at(usage, "cache_creation_input_tokens");
    answer.usage.input =
        count_at(usage, "input_tokens") + answer.usage.cached + answer.usage.cache_written;
  }
  if (usage.contains("output_tokens")) answer.usage.output = count_at(usage, "output_tokens");
}

void read_usage_at(const Json& json, std::string_view path, Answer& answer) {
  const Json* usage = find(json, path);
  if (usage != nullptr && usage->is_object()) read_anthropic_usage(*usage, answer);
}

Json anthropic_content(const WireTurn& turn) {
  if (turn.calls.empty()) return turn.text;
  Json blocks = Json::array();
  if (turn.kind == WireTurn::Kind::results) {
    for (std::size_t i = 0; i < turn.results.size(); ++i) {
      blocks.push_back({{"type", "tool_result"},
                        {"tool_use_id", turn.calls[i].id},
                        {"content", turn.results[i]}});
    }
    return blocks;
  }
  if (!turn.text.empty()) blocks.push_back({{"type", "text"}, {"text", turn.text}});
  for (const ToolCall& call : turn.calls) {
    blocks.push_back({{"type", "tool_use"},
                      {"id", call.id},
                      {"name", call.tool},
                      {"input", arguments_of(call)}});
  }
  return blocks;
}

Json anthropic_messages_of(const WireRequest& wire) {
  Json messages = Json::array();
  for (const WireTurn& turn : turns_of(wire)) {
    if (turn.kind == WireTurn::Kind::system) continue;
    messages.push_back({{"role", role_of(turn.kind)}, {"content", anthropic_content(turn)}});
  }
  return messages;
}

Json anthropic_tools(const WireRequest& wire) {
  Json tools = Json::array();
  for (const ToolSpec* tool : native_tools(wire)) {
    tools.push_back(
        {{"name", tool->name}, {"description", tool->doc}, {"input_schema", parameters_of(*tool)}});
  }
  return tools;
}

/// A block {"type": "tool_use", "id", "name", "input"}; a stream sends its input in pieces.
void begin_anthropic_call(const Json& block, std::int64_t index, Answer& answer) {
  AnswerCall* call = answer.call(index);
  if (call == nullptr) return;
  call->id = text_at(block, "id");
  call->name = text_at(block, "name");
  const Json* input = find(block, "input");
  if (input != nullptr && input->is_object() && !input->empty()) {
    call->arguments = json_text(*input);
  }
}

class AnthropicMessages final : public Dialect {
 public:
  std::string_view default_base_url() const override { return "https://api.anthropic.com/v1"; }
  std::string path(const WireRequest&) const override { return "/messages"; }
  std::string_view key_header() const override { return "x-api-key: "; }
  std::vector<std::string> headers(std::string_view api_version) const override {
    return {"anthropic-version: " + std::string(api_version.empty() ? "2023-06-01" : api_version)};
  }

  std::string body(const WireRequest& wire) const override {
    Json json{{"model", wire.model}, {"max_tokens", wire.max_output_tokens}};
    const std::string system = system_text(wire.request);
    if (!system.empty()) json["system"] = system;
    json["messages"] = anthropic_messages_of(wire);
    if (Json tools = anthropic_tools(wire); !tools.empty()) json["tools"] = std::move(tools);
    put_settings(wire, *this, json);
    if (wire.stream) json["stream"] = true;
    return json_text(json);
  }

  std::string place_of(std::string_view setting) const override {
    if (setting == "seed") return "";
    return setting == "effort" ? "/output_config/effort" : "/" + std::string(setting);
  }

  bool read_reply(std::string_view body, Answer& answer) const override {
    const Json json = parse_json(body);
    const Json* content = find(json, "content");
    if (content == nullptr || !content->is_array()) return false;
    std::int64_t index = 0;
    for (const Json& block : *content) {
      read_content(block, answer);
      if (text_at(block, "type") == "tool_use") begin_anthropic_call(block, index, answer);
      ++index;
    }
    answer.model = text_at(json, "model");
    answer.status = anthropic_status(text_at(json, "stop_reason"));
    read_usage_at(json, "usage", answer);
    return true;
  }

  StreamStep read_event(const SseEvent& event, Answer& answer) const override {
    const Json json = object_of(event);
    const std::string type = text_at(json, "type");
    if (type == "error") {
      answer.error = read_wire_error(event.data);
      return StreamStep::failed;
    }
    if (type == "message_start") {
      answer.model = text_at(json, "message/model");
      read_usage_at(json, "message/usage", answer);
    }
    if (type == "content_block_delta" && text_at(json, "delta/type") == "text_delta") {
      answer.text += text_at(json, "delta/text");
    }
    answer.reasoning += text_at(json, "delta/thinking");
    const Json* block = find(json, "content_block");
    if (type == "content_block_start" && block != nullptr &&
        text_at(*block, "type") == "tool_use") {
      begin_anthropic_call(*block, count_at(json, "index"), answer);
    }
    if (type == "content_block_delta" && text_at(json, "delta/type") == "input_json_delta") {
      AnswerCall* call = answer.call(count_at(json, "index"));
      if (call != nullptr) call->arguments += text_at(json, "delta/partial_json");
    }
    if (type == "message_delta") {
      const std::string reason = text_at(json, "delta/stop_reason");
      if (!reason.empty()) answer.status = anthropic_status(reason);
      read_usage_at(json, "usage", answer);
    }
    return type == "message_stop" ? StreamStep::done : StreamStep::more;
  }
};

}  // namespace

std::unique_ptr<Dialect> make_anthropic_messages_dialect() {
  return std::make_unique<AnthropicMessages>();
}

}  // namespace ke
