#include "core/text.hpp"

#include <numeric>

namespace ke {
namespace {

constexpr std::string_view spaces = " \t\r\n\v\f";

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view declaration_in(std::string_view line) {
  line = trim(line);
  const std::size_t signs = line.starts_with("//") ? 2 : line.starts_with('#') ? 1 : 0;
  const std::string_view said = trim(line.substr(signs));
  return signs > 0 && said.starts_with('@') ? said : std::string_view();
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(spaces);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == text.npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string_view take_word(std::string_view& text) {
  text = trim(text);
  // A '{' right after the word starts the next token, unless the word is a flag.
  const bool flag = !text.empty() && text[0] == '-';
  const std::size_t end = text.find_first_of(flag ? " \t\r\n" : " \t\r\n{=");
  const std::string_view word = text.substr(0, end);
  text = end == text.npos ? std::string_view{} : trim(text.substr(end));
  return word;
}

std::string closest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

namespace {

/// The only candidate that contains the word, "simulated_annealing" for "annealing"; "" if there is
/// none or more than one.
std::string containing(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t least_word = 4;
  std::string found;
  for (const std::string& candidate : candidates) {
    if (word.size() < least_word || candidate.find(word) == candidate.npos) continue;
    if (!found.empty()) return {};
    found = candidate;
  }
  return found;
}

}  // namespace

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  std::string near = closest(word, candidates);
  if (near.empty()) near = containing(word, candidates);
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

}  // namespace ke
