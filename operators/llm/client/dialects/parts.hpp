#pragma once
// What requests of several dialects have in common.

#include <map>
#include <string>

#include "operators/llm/client/dialect.hpp"
#include "operators/llm/json.hpp"

namespace ke {

/// All system messages, one below the other.
std::string system_text(const LlmRequest& request);
/// The settings of a request that its model accepts, as JSON values ("0.5" is a number).
std::map<std::string, Json> accepted_settings(const WireRequest& wire);
/// Writes the accepted settings into a body, each under its own name but the effort of reasoning,
/// whose place is a JSON pointer ("/reasoning/effort").
void put_settings(const WireRequest& wire, const char* effort_place, Json& body);
/// The JSON object in an event; null when it is none.
Json object_of(const SseEvent& event);

}  // namespace ke
