#pragma once
// What editing a source by a language model's reply can come to.

#include <cstddef>
#include <string>
#include <variant>

#include "core/llm_client.hpp"

namespace ke {

/// Why no source came of a reply.
struct EditFailure {
  /// Short code, for NoChild: no_code, no_entry_point, truncated, too_large, not_text,
  /// malformed_block, empty_search, no_match, ambiguous_match, overlap, outside_block, unchanged.
  std::string reason;
  std::string message;  ///< for a repair prompt: what is wrong and where; at most longest_message
};

/// A T, or why there is none. Never a part of it.
template <typename T>
using Edit = std::variant<T, EditFailure>;

constexpr std::size_t longest_source = std::size_t{256} << 10;  ///< bytes
constexpr std::size_t longest_message = 1536;                   ///< bytes
constexpr std::size_t most_blocks = 256;  ///< SEARCH/REPLACE blocks of a reply

/// A failure whose message is cut to `longest_message`, never inside a character.
EditFailure failure(std::string reason, std::string message);

/// At most `bytes` bytes of UTF-8 text, then "..." if some were cut off.
std::string cut(std::string text, std::size_t bytes);

}  // namespace ke
