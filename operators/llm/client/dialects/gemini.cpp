#include "operators/llm/client/answer.hpp"
#include "operators/llm/client/dialects/parts.hpp"

namespace ke {
namespace {

std::string gemini_status(const std::string& finish_reason) {
  if (finish_reason == "STOP") return "ok";
  if (finish_reason == "MAX_TOKENS") return "truncated";
  for (const char* reason : {"SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII"}) {
    if (finish_reason == reason) return "refused";
  }
  return "ok";
}

Json parts_of(const std::string& text) { return Json::array({{{"text", text}}}); }

/// {"name"}, and the id if the provider gave one.
Json named_call(const ToolCall& call) {
  Json json{{"name", call.tool}};
  if (!call.id.starts_with(made_id)) json["id"] = call.id;
  return json;
}

Json result_parts(const WireTurn& turn) {
  Json parts = Json::array();
  for (std::size_t i = 0; i < turn.results.size(); ++i) {
    Json result = named_call(turn.calls[i]);
    result["response"] = {{"result", turn.results[i]}};
    parts.push_back({{"functionResponse", std::move(result)}});
  }
  return parts;
}

/// Returns a call unchanged, including its signature: the API rejects a conversation without it.
Json model_parts(const WireTurn& turn) {
  Json parts = turn.calls.empty() || !turn.text.empty() ? parts_of(turn.text) : Json::array();
  for (const ToolCall& call : turn.calls) {
    Json named = named_call(call);
    named["args"] = arguments_of(call);
    Json part{{"functionCall", std::move(named)}};
    if (!call.signature.empty()) part["thoughtSignature"] = call.signature;
    parts.push_back(std::move(part));
  }
  return parts;
}

Json contents_of(const WireRequest& wire) {
  Json contents = Json::array();
  for (const WireTurn& turn : turns_of(wire)) {
    if (turn.kind == WireTurn::Kind::system) continue;
    const bool results = turn.kind == WireTurn::Kind::results;
    contents.push_back({{"role", turn.kind == WireTurn::Kind::assistant ? "model" : "user"},
                        {"parts", results ? result_parts(turn) : model_parts(turn)}});
  }
  return contents;
}

Json gemini_tools(const WireRequest& wire) {
  Json declarations = Json::array();
  for (const ToolSpec* tool : native_tools(wire)) {
    declarations.push_back(
        {{"name", tool->name}, {"description", tool->doc}, {"parameters", parameters_of(*tool)}});
  }
  return declarations;
}

void read_gemini_call(const Json& part, Answer& answer) {
  const Json* named = find(part, "functionCall");
  if (named == nullptr) return;
  AnswerCall* call = answer.call(static_cast<std::int64_t>(answer.calls.size()));
  if (call == nullptr) return;
  call->id = text_at(*named, "id");
  call->name = text_at(*named, "name");
  if (const Json* args = find(*named, "args"); args != nullptr) call->arguments = json_text(*args);
  call->signature = text_at(part, "thoughtSignature");
}

/// This API's output tokens exclude thoughts; ours include them.
void read_gemini_usage(const Json& json, Answer& answer) {
  const Json* usage = find(json, "usageMetadata");
  if (usage == nullptr) return;
  answer.usage.input = count_at(*usage, "promptTokenCount");
  answer.usage.cached = count_at(*usage, "cachedContentTokenCount");
  answer.usage.reasoning = count_at(*usage, "thoughtsTokenCount");
  answer.usage.output = count_at(*usage, "candidatesTokenCount") + answer.usage.reasoning;
}

/// Reads a complete reply or a piece of a stream, which have the same form. False: neither.
bool read_piece(const Json& json, Answer& answer) {
  if (!text_at(json, "promptFeedback/blockReason").empty()) answer.status = "refused";
  const Json* parts = find(json, "candidates/0/content/parts");
  for (const Json& part : parts != nullptr ? *parts : Json::array()) {
    const Json* thought = find(part, "thought");
    const bool hidden = thought != nullptr && *thought == true;
    (hidden ? answer.reasoning : answer.text) += text_at(part, "text");
    read_gemini_call(part, answer);
  }
  const std::string finish = text_at(json, "candidates/0/finishReason");
  if (!finish.empty()) answer.status = gemini_status(finish);
  if (answer.model.empty()) answer.model = text_at(json, "modelVersion");
  read_gemini_usage(json, answer);
  return find(json, "candidates/0") != nullptr || !answer.status.empty();
}

class Gemini final : public Dialect {
 public:
  std::string_view default_base_url() const override {
    return "https://generativelanguage.googleapis.com/v1beta";
  }
  std::string path(const WireRequest& wire) const override {
    return "/models/" + std::string(wire.model) +
           (wire.stream ? ":streamGenerateContent?alt=sse" : ":generateContent");
  }
  std::string_view key_header() const override { return "x-goog-api-key: "; }

  std::string body(const WireRequest& wire) const override {
    Json json = Json::object();
    const std::string system = system_text(wire.request);
    if (!system.empty()) json["systemInstruction"] = {{"parts", parts_of(system)}};
    json["contents"] = contents_of(wire);
    if (Json tools = gemini_tools(wire); !tools.empty()) {
      json["tools"] = Json::array({{{"functionDeclarations", std::move(tools)}}});
    }
    json["generationConfig"] = {{"maxOutputTokens", wire.max_output_tokens}};
    put_settings(wire, *this, json);
    return json_text(json);
  }

  std::string place_of(std::string_view setting) const override {
    if (setting == "effort") return "/generationConfig/thinkingConfig/thinkingLevel";
    return "/generationConfig/" + (setting == "top_p" ? "topP" : std::string(setting));
  }

  bool read_reply(std::string_view body, Answer& answer) const override {
    if (!read_piece(parse_json(body), answer)) return false;
    if (answer.status.empty()) answer.status = "ok";
    return true;
  }

  StreamStep read_event(const SseEvent& event, Answer& answer) const override {
    answer.error = read_wire_error(event.data);
    if (!answer.error.empty()) return StreamStep::failed;
    read_piece(object_of(event), answer);
    return StreamStep::more;
  }
};

}  // namespace

std::unique_ptr<Dialect> make_gemini_dialect() { return std::make_unique<Gemini>(); }

}  // namespace ke
