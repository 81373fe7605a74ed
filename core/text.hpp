#pragma once
// Small text helpers that the standard library of g++ 12 lacks.

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace ke {

constexpr bool may_stand_in_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Letters, digits and _, not starting with a digit; independent of the locale.
constexpr bool is_identifier(std::string_view text) {
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') &&
         std::ranges::all_of(text, may_stand_in_identifier);
}

/// The declaration in a comment line of C++ (`// @word ...`) or Python (`# @word ...`), from the @
/// on; "" for other lines.
std::string_view declaration_in(std::string_view line);

/// The number that the whole text is; nothing for any other text.
template <typename T>
std::optional<T> number_from(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Removes white space at both ends.
std::string_view trim(std::string_view text);
/// The parts between separators; always at least one.
std::vector<std::string_view> split(std::string_view text, char separator);
/// Removes and returns the first word; trims the rest. Words end at white space, '{' or '='.
std::string_view take_word(std::string_view& text);
/// Whether a fixed list holds the word.
template <std::size_t N>
bool holds(const std::string_view (&list)[N], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}
/// The candidate closest to `word` within two edits or a third of its length, or ""
/// [Levenshtein1966].
std::string closest(std::string_view word, const std::vector<std::string>& candidates);
/// End of a message about an unknown word: "; did you mean 'grid'?", or "" if none is close.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace ke
