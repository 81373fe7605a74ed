#include "tests/support/mock_llm/mock_wire.hpp"

#include "experiments/text/json.hpp"

namespace ke {
namespace {

std::string event(const Json& json, bool named = false) {
  const std::string name = named ? "event: " + json["type"].get<std::string>() + "\r\n" : "";
  return name + "data: " + json_text(json) + (named ? "\r\n\r\n" : "\n\n");
}

/// Splits a text into a few pieces at character boundaries.
std::vector<std::string> pieces_of(const std::string& text) {
  std::vector<std::string> pieces;
  const std::size_t step = text.size() / 5 + 1;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(at + step, text.size());
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
    pieces.push_back(text.substr(at, end - at));
    at = end;
  }
  return pieces;
}

// ---- OpenAI chat

Json chat_usage(const MockAnswer& a) {
  return {{"prompt_tokens", a.input_tokens},
          {"completion_tokens", a.output_tokens},
          {"total_tokens", a.input_tokens + a.output_tokens},
          {"prompt_tokens_details", {{"cached_tokens", 0}}}};
}

const char* chat_finish(const MockAnswer& a) {
  return a.refused ? "content_filter" : a.calls.empty() ? "stop" : "tool_calls";
}

Json chat_call(const MockCall& call) {
  return {{"id", call.id},
          {"type", "function"},
          {"function", {{"name", call.name}, {"arguments", call.arguments}}}};
}

std::string chat_body(const MockAnswer& a) {
  Json message{{"role", "assistant"}, {"content", a.reasoning ? "" : a.text}};
  if (a.reasoning) message["reasoning"] = a.text;
  for (const MockCall& call : a.calls) message["tool_calls"].push_back(chat_call(call));
  return json_text(
      {{"object", "chat.completion"},
       {"model", a.model},
       {"choices",
        Json::array({{{"index", 0}, {"message", message}, {"finish_reason", chat_finish(a)}}})},
       {"usage", chat_usage(a)}});
}

std::string chat_chunk(const MockAnswer& a, const Json& delta, const Json& finish) {
  return event(
      {{"object", "chat.completion.chunk"},
       {"model", a.model},
       {"choices", Json::array({{{"index", 0}, {"delta", delta}, {"finish_reason", finish}}})}});
}

std::vector<std::string> chat_events(const MockAnswer& a) {
  std::vector<std::string> events{": welcome\n\n"};
  for (const std::string& piece : pieces_of(a.text)) {
    const char* const field = a.reasoning ? "reasoning" : "content";
    events.push_back(chat_chunk(a, {{field, piece}}, nullptr));
  }
  for (std::size_t i = 0; i < a.calls.size(); ++i) {
    Json first = chat_call(a.calls[i]);
    first["function"]["arguments"] = "";
    first["index"] = i;
    events.push_back(chat_chunk(a, {{"tool_calls", Json::array({first})}}, nullptr));
    for (const std::string& piece : pieces_of(a.calls[i].arguments)) {
      const Json more{{"index", i}, {"function", {{"arguments", piece}}}};
      events.push_back(chat_chunk(a, {{"tool_calls", Json::array({more})}}, nullptr));
    }
  }
  events.push_back(chat_chunk(a, Json::object(), chat_finish(a)));
  events.push_back(
      event({{"model", a.model}, {"choices", Json::array()}, {"usage", chat_usage(a)}}));
  events.emplace_back("data: [DONE]\n\n");
  return events;
}

// ---- OpenAI responses

Json response_of(const MockAnswer& a) {
  const Json part = a.refused ? Json{{"type", "refusal"}, {"refusal", a.text}}
                              : Json{{"type", "output_text"}, {"text", a.text}};
  Json output =
      Json::array({{{"type", "message"}, {"role", "assistant"}, {"content", Json::array({part})}}});
  for (const MockCall& call : a.calls) {
    output.push_back({{"type", "function_call"},
                      {"id", "fc_" + call.id},
                      {"call_id", call.id},
                      {"name", call.name},
                      {"arguments", call.arguments}});
  }
  return {{"object", "response"},
          {"status", "completed"},
          {"model", a.model},
          {"output", output},
          {"usage", {{"input_tokens", a.input_tokens}, {"output_tokens", a.output_tokens}}}};
}

std::vector<std::string> response_events(const MockAnswer& a) {
  std::vector<std::string> events{event({{"type", "response.created"}}, true)};
  for (const std::string& piece : pieces_of(a.text)) {
    events.push_back(event({{"type", "response.output_text.delta"}, {"delta", piece}}, true));
  }
  for (const MockCall& call : a.calls) {
    for (const std::string& piece : pieces_of(call.arguments)) {
      events.push_back(
          event({{"type", "response.function_call_arguments.delta"}, {"delta", piece}}, true));
    }
  }
  events.push_back(event({{"type", "response.completed"}, {"response", response_of(a)}}, true));
  return events;
}

// ---- Anthropic messages

const char* anthropic_stop(const MockAnswer& a) {
  return a.refused ? "refusal" : a.calls.empty() ? "end_turn" : "tool_use";
}

Json anthropic_call(const MockCall& call, Json input) {
  return {{"type", "tool_use"},
          {"id", call.id},
          {"name", call.name},
          {"input", input.is_object() ? std::move(input) : Json::object()}};
}

std::string anthropic_body(const MockAnswer& a) {
  Json content = Json::array({{{"type", "text"}, {"text", a.text}}});
  for (const MockCall& call : a.calls) {
    content.push_back(anthropic_call(call, parse_json(call.arguments)));
  }
  return json_text(
      {{"type", "message"},
       {"role", "assistant"},
       {"model", a.model},
       {"content", content},
       {"stop_reason", anthropic_stop(a)},
       {"usage", {{"input_tokens", a.input_tokens}, {"output_tokens", a.output_tokens}}}});
}

std::vector<std::string> anthropic_events(const MockAnswer& a) {
  const Json usage{{"input_tokens", a.input_tokens}, {"output_tokens", 1}};
  std::vector<std::string> events{
      event({{"type", "message_start"}, {"message", {{"model", a.model}, {"usage", usage}}}}, true),
      event({{"type", "ping"}}, true)};
  for (const std::string& piece : pieces_of(a.text)) {
    const Json delta{{"type", "text_delta"}, {"text", piece}};
    events.push_back(
        event({{"type", "content_block_delta"}, {"index", 0}, {"delta", delta}}, true));
  }
  for (std::size_t i = 0; i < a.calls.size(); ++i) {
    events.push_back(event({{"type", "content_block_start"},
                            {"index", i + 1},
                            {"content_block", anthropic_call(a.calls[i], {})}},
                           true));
    for (const std::string& piece : pieces_of(a.calls[i].arguments)) {
      const Json delta{{"type", "input_json_delta"}, {"partial_json", piece}};
      events.push_back(
          event({{"type", "content_block_delta"}, {"index", i + 1}, {"delta", delta}}, true));
    }
    events.push_back(event({{"type", "content_block_stop"}, {"index", i + 1}}, true));
  }
  events.push_back(event({{"type", "message_delta"},
                          {"delta", {{"stop_reason", anthropic_stop(a)}}},
                          {"usage", {{"output_tokens", a.output_tokens}}}},
                         true));
  events.push_back(event({{"type", "message_stop"}}, true));
  return events;
}

// ---- Gemini

Json gemini_piece(const MockAnswer& a, const std::string& text, bool last) {
  Json parts = Json::array({{{"text", text}}});
  for (const MockCall& call : last ? a.calls : std::vector<MockCall>()) {
    Json args = parse_json(call.arguments);
    if (!args.is_object()) args = Json::object();
    parts.push_back({{"functionCall", {{"name", call.name}, {"args", std::move(args)}}},
                     {"thoughtSignature", "signed-" + call.id}});
  }
  Json candidate{{"content", {{"parts", std::move(parts)}, {"role", "model"}}}};
  if (last) candidate["finishReason"] = a.refused ? "SAFETY" : "STOP";
  Json json{{"candidates", Json::array({candidate})}, {"modelVersion", a.model}};
  if (last) {
    json["usageMetadata"] = {{"promptTokenCount", a.input_tokens},
                             {"candidatesTokenCount", a.output_tokens}};
  }
  return json;
}

std::vector<std::string> gemini_events(const MockAnswer& a) {
  std::vector<std::string> events;
  for (const std::string& piece : pieces_of(a.text)) {
    events.push_back(event(gemini_piece(a, piece, false)));
  }
  events.push_back(event(gemini_piece(a, "", true)));
  return events;
}

std::string openai_type(int status) {
  return status == 429 ? "rate_limit_error" : status >= 500 ? "server_error" : "invalid_request";
}

std::string anthropic_type(int status) {
  if (status == 401) return "authentication_error";
  if (status == 429) return "rate_limit_error";
  return status == 529 ? "overloaded_error" : status >= 500 ? "api_error" : "invalid_request_error";
}

}  // namespace

std::string mock_body(const MockAnswer& answer) {
  if (answer.dialect == "openai_chat") return chat_body(answer);
  if (answer.dialect == "openai_responses") return json_text(response_of(answer));
  if (answer.dialect == "anthropic_messages") return anthropic_body(answer);
  return json_text(gemini_piece(answer, answer.text, true));
}

namespace {

std::vector<std::string> all_events(const MockAnswer& answer) {
  if (answer.dialect == "openai_chat") return chat_events(answer);
  if (answer.dialect == "openai_responses") return response_events(answer);
  if (answer.dialect == "anthropic_messages") return anthropic_events(answer);
  return gemini_events(answer);
}

/// Events after the one that first tells why the model stopped.
std::size_t last_events(const std::string& dialect) {
  if (dialect == "openai_chat") return 2;  // usage, [DONE]
  return dialect == "anthropic_messages" ? 1 : 0;
}

}  // namespace

std::vector<std::string> mock_events(const MockAnswer& answer, bool whole) {
  std::vector<std::string> events = all_events(answer);
  if (!whole) events.resize(events.size() - last_events(answer.dialect));
  return events;
}

std::string mock_error(const std::string& dialect, int status, const std::string& code,
                       const std::string& message) {
  if (dialect == "anthropic_messages") {
    return json_text(
        {{"type", "error"}, {"error", {{"type", anthropic_type(status)}, {"message", message}}}});
  }
  if (dialect == "gemini") {
    const char* const name = status == 429 ? "RESOURCE_EXHAUSTED" : "UNAVAILABLE";
    return json_text({{"error", {{"code", status}, {"message", message}, {"status", name}}}});
  }
  const Json param = code == "unsupported_value" ? Json("temperature") : Json();
  return json_text(
      {{"error",
        {{"message", message}, {"type", openai_type(status)}, {"param", param}, {"code", code}}}});
}

}  // namespace ke
