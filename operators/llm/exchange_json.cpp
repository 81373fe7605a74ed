#include "operators/llm/exchange_json.hpp"

#include "core/text.hpp"
#include "operators/llm/json.hpp"

namespace ke {

std::string request_text(const Digest& key, const LlmRequest& request) {
  return json_text(request_json(key, request));
}

void take_reply(std::string text, Exchange& exchange) {
  exchange.status = text.size() > longest_reply ? "bad_reply" : trim(text).empty() ? "empty" : "ok";
  if (exchange.status == "ok") exchange.reply = std::move(text);
}

bool read_reply(std::string_view text, Exchange& exchange) {
  exchange.status = "bad_reply";
  if (text.size() > longest_reply) return false;
  const Json json = parse_json(text);
  const Json* reply = find(json, "reply");
  const std::string status = text_at(json, "status");
  const bool failed = !status.empty() && status != "ok";
  if (!failed && (reply == nullptr || !reply->is_string())) return false;
  take_reply(text_at(json, "reply"), exchange);
  if (failed) exchange.status = status;
  read_usage(json, exchange);
  return true;
}

Exchange failed_exchange(const Digest& key, const LlmRequest& request, std::string_view status) {
  Exchange exchange;
  exchange.key = key;
  exchange.request = request;
  exchange.status = status;
  return exchange;
}

Json request_json(const Digest& key, const LlmRequest& request) {
  Json messages = Json::array();
  for (const Message& message : request.messages) {
    messages.push_back({{"role", message.role}, {"text", message.text}});
  }
  return {{"key", key.hex()},
          {"model", request.model},
          {"messages", messages},
          {"max_output_tokens", request.max_output_tokens},
          {"settings", request.settings}};
}

LlmRequest read_request(const Json& json) {
  LlmRequest request;
  request.model = text_at(json, "model");
  request.max_output_tokens = count_at(json, "max_output_tokens");
  if (const Json* messages = find(json, "messages"); messages != nullptr) {
    for (const Json& message : *messages) {
      request.messages.push_back({text_at(message, "role"), text_at(message, "text")});
    }
  }
  if (const Json* settings = find(json, "settings"); settings != nullptr && settings->is_object()) {
    for (const auto& [name, value] : settings->items()) {
      if (value.is_string()) request.settings.emplace(name, value.get<std::string>());
    }
  }
  return request;
}

void read_usage(const Json& json, Exchange& exchange) {
  exchange.model_returned = text_at(json, "model");
  exchange.input_tokens = count_at(json, "tokens/input");
  exchange.output_tokens = count_at(json, "tokens/output");
  exchange.cached_tokens = count_at(json, "tokens/cached");
  exchange.reasoning_tokens = count_at(json, "tokens/reasoning");
}

void read_detail(const Json& json, ExchangeDetail& detail) {
  const Json* estimated = find(json, "estimated");
  detail.estimated = estimated != nullptr && *estimated == true;
  detail.sent_tokens = count_at(json, "sent_tokens");
  detail.reasoning = text_at(json, "reasoning");
}

Json exchange_json(const Exchange& exchange) {
  Json json{{"key", exchange.key.hex()},
            {"request", request_json(exchange.key, exchange.request)},
            {"status", exchange.status},
            {"reply", exchange.reply},
            {"model", exchange.model_returned},
            {"tokens",
             {{"input", exchange.input_tokens},
              {"output", exchange.output_tokens},
              {"cached", exchange.cached_tokens},
              {"reasoning", exchange.reasoning_tokens}}},
            {"dollars", exchange.dollars}};
  const ExchangeDetail& detail = exchange.detail;
  if (detail.estimated) json["estimated"] = true;
  if (detail.sent_tokens > 0) json["sent_tokens"] = detail.sent_tokens;
  if (!detail.reasoning.empty()) json["reasoning"] = detail.reasoning;
  return json;
}

}  // namespace ke
