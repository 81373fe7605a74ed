#pragma once
// Recorded traffic as text: one exchange a line, to keep, to edit out of, and to answer from.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/llm_client.hpp"

namespace ke {

/// {"hash", ..} with the members of exchange_json in one line without its end. `hash` is the
/// SHA-256 of the exchange.
std::string cassette_line(const Exchange& exchange);

/// Error: no whole line of that form, or one whose hash is not that of what it holds.
Result<Exchange> read_cassette_line(std::string_view line);

/// All exchanges of a file, by key. Errors name `file:line`.
Result<std::map<Digest, Exchange>> read_cassette(const std::string& file);

/// What looks like a secret in a text: its kind, e.g. "API key", once each. Empty when nothing
/// does.
std::vector<std::string> secrets_in(std::string_view text);

/// Why no exchange of a cassette answers a request: the one that is most like it, and the first
/// line in which their prompts differ.
std::string nearest_exchange(const std::map<Digest, Exchange>& cassette, const LlmRequest& request);

}  // namespace ke
