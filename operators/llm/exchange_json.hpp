#pragma once
// Exchanges with a model as JSON: one format for cassettes, mailboxes, programs and people.

#include <string>
#include <string_view>

#include "core/json.hpp"
#include "core/llm_client.hpp"

namespace ke {

/// The request in the format of request_json, as sent to a program.
std::string request_text(const Digest& key, const LlmRequest& request);

/// Reads {"reply": TEXT, "model", "status", "tokens": {"input", "output", "cached", "reasoning"}}
/// into an exchange; only `reply` is required. False, with status "bad_reply", when it is
/// malformed.
bool read_reply(std::string_view text, Exchange& exchange);
/// Takes plain text as the reply; status "empty" if it is blank, "bad_reply" beyond 4 MiB.
void take_reply(std::string text, Exchange& exchange);

/// An exchange without a reply.
Exchange failed_exchange(const Digest& key, const LlmRequest& request, std::string_view status);

/// {"key", "model", "messages": [{"role", "text"}, ..], "max_output_tokens", "settings": {..}}
Json request_json(const Digest& key, const LlmRequest& request);
/// Reads this format; missing fields and fields of another type stay empty.
LlmRequest read_request(const Json& json);

/// Reads "model" and "tokens": {"input", "output", "cached", "reasoning"}; 0 if missing.
void read_usage(const Json& json, Exchange& exchange);

/// Reads "estimated", "sent_tokens" and "reasoning".
void read_detail(const Json& json, ExchangeDetail& detail);

/// {"key", "request": {..}, "status", "reply", "model", "tokens": {..}, "dollars"}, and what
/// read_detail() reads, if there is any.
Json exchange_json(const Exchange& exchange);

}  // namespace ke
