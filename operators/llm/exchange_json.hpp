#pragma once
// Exchanges with a model as JSON: one format for cassettes, mailboxes, programs and people.

#include "core/json.hpp"
#include "core/llm_client.hpp"

namespace ke {

/// {"key", "model", "messages": [{"role", "text"}, ..], "max_output_tokens", "settings": {..}}
Json request_json(const Digest& key, const LlmRequest& request);
/// Reads this format; missing fields and fields of another type stay empty.
LlmRequest read_request(const Json& json);

/// Reads "model" and "tokens": {"input", "output", "cached", "reasoning"}; 0 if missing.
void read_usage(const Json& json, Exchange& exchange);

/// {"key", "request": {..}, "status", "reply", "model", "tokens": {..}, "dollars"}
Json exchange_json(const Exchange& exchange);

}  // namespace ke
