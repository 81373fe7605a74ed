#include "operators/llm/messages.hpp"

#include "core/text.hpp"
#include "operators/llm/exchange_json.hpp"
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

}  // namespace ke
