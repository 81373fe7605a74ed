#pragma once
// What a language model was asked and what it said.

#include <string>
#include <vector>

#include "core/llm_client.hpp"
#include "experiments/cli/json.hpp"

namespace ke {

/// Messages and replies, each under a line that says whose it is and how long.
std::string exchanges_text(const std::vector<Exchange>& exchanges);

/// {"exchanges": [..]}, each in the form of cassettes.
Json json_of(const std::vector<Exchange>& exchanges);

}  // namespace ke
