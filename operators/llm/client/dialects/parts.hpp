#pragma once
// Shared parts of several dialects' requests.

#include <map>
#include <string>

#include "operators/llm/client/dialect.hpp"
#include "operators/llm/json.hpp"

namespace ke {

/// All system messages, separated by blank lines.
std::string system_text(const LlmRequest& request);
/// The settings of a request that its model accepts, as JSON values ("0.5" becomes a number).
std::map<std::string, Json> accepted_settings(const WireRequest& wire);
/// Writes the accepted settings into a body, each under its own name except the reasoning effort,
/// which goes to the JSON pointer `effort_place` ("/reasoning/effort").
void put_settings(const WireRequest& wire, const char* effort_place, Json& body);
/// The JSON object in an event; null when it has none.
Json object_of(const SseEvent& event);

}  // namespace ke
