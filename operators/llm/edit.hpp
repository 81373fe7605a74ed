#pragma once
// Results of applying a language model's reply to a source.

#include <cstddef>
#include <string>
#include <variant>

#include "core/llm_client.hpp"

namespace ke {

/// The reason why a reply gave no source.
struct EditFailure {
  /// Short code, for NoChild: no_code, no_entry_point, truncated, too_large, not_text,
  /// malformed_block, empty_search, no_match, ambiguous_match, overlap, outside_block, unchanged.
  std::string reason;
  std::string message;  ///< for a repair prompt: the error and its place; at most longest_message
};

/// A complete T, or the reason for the failure.
template <typename T>
using Edit = std::variant<T, EditFailure>;

constexpr std::size_t longest_source = std::size_t{256} << 10;  ///< bytes
constexpr std::size_t longest_message = 1536;                   ///< bytes
constexpr std::size_t most_blocks = 256;                        ///< SEARCH/REPLACE blocks per reply

/// A failure; its message is cut to `longest_message` bytes, never inside a character.
EditFailure failure(std::string reason, std::string message);

/// At most `bytes` bytes of UTF-8 text, then "..." if it was cut.
std::string cut(std::string text, std::size_t bytes);

}  // namespace ke
