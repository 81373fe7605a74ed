#pragma once
// Recorded exchanges as text, one per line: to store, to redact, and to answer from.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/llm_client.hpp"

namespace ke {

/// {"hash", ..} with the members of exchange_json, in one line without a newline. `hash` is the
/// SHA-256 of the exchange.
std::string cassette_line(const Exchange& exchange);

/// Error: the line is incomplete or of another form, or its hash does not match its content.
Result<Exchange> read_cassette_line(std::string_view line);

/// All exchanges of a file, by key. Errors name `file:line`.
Result<std::map<Digest, Exchange>> read_cassette(const std::string& file);

/// Kinds of text that look like secrets, e.g. "API key", each once. Empty if there are none.
std::vector<std::string> secrets_in(std::string_view text);

/// Explains a miss: the most similar exchange, and the first line in which its prompt differs.
std::string nearest_exchange(const std::map<Digest, Exchange>& cassette, const LlmRequest& request);

}  // namespace ke
