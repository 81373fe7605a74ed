#pragma once
// Small text helpers that the standard library of g++ 12 lacks.

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// Without white space at both ends.
std::string_view trim(std::string_view text);
/// Parts between separators; always at least one.
std::vector<std::string_view> split(std::string_view text, char separator);
/// Takes the first word off `text`, which is left trimmed. Words end at white space, '{' or '='.
std::string_view take_word(std::string_view& text);
/// Whether a fixed list holds the word.
template <std::size_t N>
bool holds(const std::string_view (&list)[N], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}
/// The candidate closest to `word` within two edits or a third of its length, or ""
/// [Levenshtein1966].
std::string closest(std::string_view word, const std::vector<std::string>& candidates);
/// For the end of a message about an unknown word: "; did you mean 'grid'?", or "" where no
/// candidate is close.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace ke
