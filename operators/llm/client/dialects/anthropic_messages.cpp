#include "operators/llm/client/dialects/parts.hpp"
#include "operators/llm/client/wire_error.hpp"

namespace ke {
namespace {

std::string anthropic_status(const std::string& stop_reason) {
  if (stop_reason == "max_tokens" || stop_reason == "model_context_window_exceeded") {
    return "truncated";
  }
  return stop_reason == "refusal" ? "refused" : "ok";
}

/// Input tokens of this API leave out those of the cache; ours count them all. The numbers of a
/// stream are running totals, of which an event may leave out some.
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
    json["messages"] = chat_messages(wire.request, false);
    put_settings(wire, "/output_config/effort", json);
    if (wire.stream) json["stream"] = true;
    return json_text(json);
  }

  bool read_reply(std::string_view body, Answer& answer) const override {
    const Json json = parse_json(body);
    const Json* content = find(json, "content");
    if (content == nullptr || !content->is_array()) return false;
    for (const Json& block : *content) {
      if (text_at(block, "type") == "text") answer.text += text_at(block, "text");
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
