#pragma once
// Identifiers as in C, Python and our own declarations.

#include <algorithm>
#include <string_view>

namespace ke {

constexpr bool may_stand_in_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Letters, digits and _, not starting with a digit; independent of the locale.
constexpr bool is_identifier(std::string_view text) {
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') &&
         std::ranges::all_of(text, may_stand_in_identifier);
}

}  // namespace ke
