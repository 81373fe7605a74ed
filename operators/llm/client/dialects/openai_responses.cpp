#include "operators/llm/client/answer.hpp"
#include "operators/llm/client/dialects/parts.hpp"

namespace ke {
namespace {

std::string responses_status(const Json& response) {
  if (text_at(response, "status") != "incomplete") return "ok";
  const std::string reason = text_at(response, "incomplete_details/reason");
  return reason == "content_filter" ? "refused" : "truncated";
}

void read_responses_usage(const Json& response, Answer& answer) {
  answer.usage.input = count_at(response, "usage/input_tokens");
  answer.usage.output = count_at(response, "usage/output_tokens");
  answer.usage.cached = count_at(response, "usage/input_tokens_details/cached_tokens");
  answer.usage.cache_written = count_at(response, "usage/input_tokens_details/cache_write_tokens");
  answer.usage.reasoning = count_at(response, "usage/output_tokens_details/reasoning_tokens");
}

// Sends items without their ids: with an id, the API also requires the item's reasoning.
void add_response_items(const WireTurn& turn, Json& items) {
  for (std::size_t i = 0; i < turn.results.size(); ++i) {
    items.push_back({{"type", "function_call_output"},
                     {"call_id", turn.calls[i].id},
                     {"output", turn.results[i]}});
  }
  if (turn.kind == WireTurn::Kind::results) return;
  if (turn.calls.empty() || !turn.text.empty()) {
    items.push_back({{"role", role_of(turn.kind)}, {"content", turn.text}});
  }
  for (const ToolCall& call : turn.calls) {
    items.push_back({{"type", "function_call"},
                     {"call_id", call.id},
                     {"name", call.tool},
                     {"arguments", wire_arguments(call)}});
  }
}

Json response_tools(const WireRequest& wire) {
  Json tools = Json::array();
  for (const ToolSpec* tool : native_tools(wire)) {
    tools.push_back({{"type", "function"},
                     {"name", tool->name},
                     {"description", tool->doc},
                     {"parameters", parameters_of(*tool)},
                     {"strict", false}});
  }
  return tools;
}

void read_response_call(const Json& item, Answer& answer) {
  AnswerCall* call = answer.call(static_cast<std::int64_t>(answer.calls.size()));
  if (call == nullptr) return;
  call->id = text_at(item, "call_id");
  call->name = text_at(item, "name");
  call->arguments = text_at(item, "arguments");
}

bool read_response(const Json& response, Answer& answer) {
  const Json* output = find(response, "output");
  if (output == nullptr || !output->is_array()) return false;
  answer.text.clear();
  answer.reasoning.clear();
  answer.calls.clear();
  answer.model = text_at(response, "model");
  answer.status = responses_status(response);
  for (const Json& item : *output) {
    const std::string type = text_at(item, "type");
    if (type == "function_call") read_response_call(item, answer);
    if (type == "reasoning") read_reasoning(item, answer);
    if (const Json* content = find(item, "content"); type == "message" && content != nullptr) {
      read_content(*content, answer);
    }
  }
  read_responses_usage(response, answer);
  return true;
}

class OpenaiResponses final : public Dialect {
 public:
  std::string_view default_base_url() const override { return "https://api.openai.com/v1"; }
  std::string path(const WireRequest&) const override { return "/responses"; }

  std::string body(const WireRequest& wire) const override {
    Json input = Json::array();
    for (const WireTurn& turn : turns_of(wire)) {
      if (turn.kind != WireTurn::Kind::system) add_response_items(turn, input);
    }
    Json json{{"model", wire.model}, {"input", std::move(input)}};
    if (Json tools = response_tools(wire); !tools.empty()) json["tools"] = std::move(tools);
    const std::string system = system_text(wire.request);
    if (!system.empty()) json["instructions"] = system;
    json["max_output_tokens"] = wire.max_output_tokens;
    json["store"] = false;
    put_settings(wire, *this, json);
    if (wire.stream) json["stream"] = true;
    return json_text(json);
  }

  std::string place_of(std::string_view setting) const override {
    if (setting == "seed") return "";
    return setting == "effort" ? "/reasoning/effort" : "/" + std::string(setting);
  }

  bool read_reply(std::string_view body, Answer& answer) const override {
    const Json json = parse_json(body);
    if (text_at(json, "status") == "failed") {
      answer.error = read_wire_error(body);
      return !answer.error.empty();
    }
    return read_response(json, answer);
  }

  StreamStep read_event(const SseEvent& event, Answer& answer) const override {
    const Json json = object_of(event);
    const std::string type = text_at(json, "type");
    const Json* response = find(json, "response");
    if (type == "response.output_text.delta") answer.text += text_at(json, "delta");
    if (type == "response.reasoning_text.delta" ||
        type == "response.reasoning_summary_text.delta") {
      answer.reasoning += text_at(json, "delta");
    }
    if (type == "error" || type == "response.failed") {
      answer.error = read_wire_error(response == nullptr ? event.data : json_text(*response));
      if (answer.error.empty()) answer.error.type = "unknown";
      return StreamStep::failed;
    }
    if (type != "response.completed" && type != "response.incomplete") return StreamStep::more;
    if (response != nullptr && read_response(*response, answer)) return StreamStep::done;
    answer.error.type = "malformed";
    return StreamStep::failed;
  }
};

}  // namespace

std::unique_ptr<Dialect> make_openai_responses_dialect() {
  return std::make_unique<OpenaiResponses>();
}

}  // namespace ke
