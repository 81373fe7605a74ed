#pragma once
// Prints prompts and replies of language models.

#include <string>
#include <vector>

#include "core/llm_client.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// Messages and replies, each below a line with its author and length.
std::string exchanges_text(const std::vector<Exchange>& exchanges);

/// {"exchanges": [..]}, each in the form of cassettes.
Json json_of(const std::vector<Exchange>& exchanges);

}  // namespace ke
