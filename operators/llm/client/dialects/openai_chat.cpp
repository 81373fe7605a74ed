#include "operators/llm/client/answer.hpp"
#include "operators/llm/client/dialects/parts.hpp"

namespace ke {
namespace {

std::string chat_status(const std::string& finish_reason) {
  if (finish_reason == "length") return "truncated";
  if (finish_reason == "content_filter") return "refused";
  return "ok";
}

/// Reads the counts under the names that servers of this API use. Those of prompts include what was
/// read from the cache.
Usage chat_usage(const Json& json) {
  Usage usage;
  usage.input = first_count(json, {"prompt_tokens", "input_tokens"});
  usage.output = first_count(json, {"completion_tokens", "output_tokens"});
  usage.cached = first_count(
      json, {"prompt_tokens_details/cached_tokens", "cached_tokens", "prompt_cache_hit_tokens",
             "cache_read_input_tokens", "input_tokens_details/cached_tokens"});
  usage.cache_written = first_count(
      json, {"prompt_tokens_details/cache_write_tokens",
             "prompt_tokens_details/cache_creation_tokens", "cache_creation_input_tokens"});
  usage.reasoning = first_count(json, {"completion_tokens_details/reasoning_tokens",
                                       "output_tokens_details/reasoning_tokens"});
  if (usage.input == 0) usage.input = usage.cached + count_at(json, "prompt_cache_miss_tokens");
  return usage;
}

void read_chat_usage(const Json& json, Answer& answer) {
  for (const char* place : {"usage", "choices/0/usage", "x_groq/usage"}) {
    const Json* given = find(json, place);
    if (given == nullptr || !given->is_object()) continue;
    const Usage usage = chat_usage(*given);
    if (usage.counted()) answer.usage = usage;
  }
}

/// Reads the reasoning of servers that send it beside the content; some send it under two names.
void read_chat_reasoning(const Json& part, Answer& answer) {
  for (const char* name : {"reasoning_content", "reasoning", "thinking", "reasoning_details"}) {
    const Json* given = find(part, name);
    if (given == nullptr || given->is_null() || given->empty()) continue;
    return read_reasoning(*given, answer);
  }
}

Json chat_calls(const std::vector<ToolCall>& calls) {
  Json list = Json::array();
  for (const ToolCall& call : calls) {
    list.push_back({{"id", call.id},
                    {"type", "function"},
                    {"function", {{"name", call.tool}, {"arguments", wire_arguments(call)}}}});
  }
  return list;
}

void add_chat_turn(const WireTurn& turn, Json& messages) {
  if (turn.kind == WireTurn::Kind::results) {
    for (std::size_t i = 0; i < turn.results.size(); ++i) {
      messages.push_back(
          {{"role", "tool"}, {"tool_call_id", turn.calls[i].id}, {"content", turn.results[i]}});
    }
    return;
  }
  Json message{{"role", role_of(turn.kind)}, {"content", turn.text}};
  if (!turn.calls.empty()) {
    if (turn.text.empty()) message["content"] = nullptr;
    message["tool_calls"] = chat_calls(turn.calls);
  }
  messages.push_back(std::move(message));
}

Json chat_tools(const WireRequest& wire) {
  Json tools = Json::array();
  for (const ToolSpec* tool : native_tools(wire)) {
    tools.push_back({{"type", "function"},
                     {"function",
                      {{"name", tool->name},
                       {"description", tool->doc},
                       {"parameters", parameters_of(*tool)}}}});
  }
  return tools;
}

/// Calls of a reply, or pieces of them: only a call's first piece has id and name.
void read_chat_calls(const Json& part, Answer& answer) {
  const Json* calls = find(part, "tool_calls");
  if (calls == nullptr || !calls->is_array()) return;
  std::int64_t position = 0;
  for (const Json& piece : *calls) {
    AnswerCall* call = answer.call(piece.contains("index") ? count_at(piece, "index") : position);
    ++position;
    if (call == nullptr) continue;
    if (call->id.empty()) call->id = text_at(piece, "id");
    if (call->name.empty()) call->name = text_at(piece, "function/name");
    call->arguments += text_at(piece, "function/arguments");
  }
}

/// Reads the common fields of a complete reply (`part` = message) and a stream's chunk (delta).
void read_choice(const Json& json, const std::string& part, Answer& answer) {
  if (answer.model.empty()) answer.model = text_at(json, "model");
  const std::string place = "choices/0/" + part;
  if (const Json* content = find(json, place + "/content")) read_content(*content, answer);
  if (const Json* said = find(json, place)) {
    read_chat_calls(*said, answer);
    read_chat_reasoning(*said, answer);
  }
  const std::string finish = text_at(json, "choices/0/finish_reason");
  if (!finish.empty() && answer.status.empty()) answer.status = chat_status(finish);
  if (!text_at(json, place + "/refusal").empty()) answer.status = "refused";
  read_chat_usage(json, answer);
}

class OpenaiChat final : public Dialect {
 public:
  std::string_view default_base_url() const override { return "https://api.openai.com/v1"; }
  std::string path(const WireRequest&) const override { return "/chat/completions"; }

  std::string body(const WireRequest& wire) const override {
    Json messages = Json::array();
    for (const WireTurn& turn : turns_of(wire)) add_chat_turn(turn, messages);
    Json json{{"model", wire.model}, {"messages", std::move(messages)}};
    if (Json tools = chat_tools(wire); !tools.empty()) json["tools"] = std::move(tools);
    json[wire.traits.max_tokens_name] = wire.max_output_tokens;
    put_settings(wire, *this, json);
    if (wire.stream) {
      json["stream"] = true;
      json["stream_options"] = {{"include_usage", true}};
    }
    return json_text(json);
  }

  std::string place_of(std::string_view setting) const override {
    return setting == "effort" ? "/reasoning_effort" : "/" + std::string(setting);
  }

  bool read_reply(std::string_view body, Answer& answer) const override {
    const Json json = parse_json(body);
    if (find(json, "choices/0/message") == nullptr) return false;
    read_choice(json, "message", answer);
    if (answer.status.empty()) answer.status = "ok";
    return true;
  }

  StreamStep read_event(const SseEvent& event, Answer& answer) const override {
    if (event.data == "[DONE]") {
      if (answer.status.empty()) answer.status = "ok";
      return StreamStep::done;
    }
    answer.error = read_wire_error(event.data);
    if (!answer.error.empty()) return StreamStep::failed;
    read_choice(object_of(event), "delta", answer);
    return StreamStep::more;
  }
};

}  // namespace

std::unique_ptr<Dialect> make_openai_chat_dialect() { return std::make_unique<OpenaiChat>(); }

}  // namespace ke
