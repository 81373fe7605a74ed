#include "core/entry_point.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <vector>

#include "core/text.hpp"

namespace ke {
namespace {

enum class Paren { other, call, def };  ///< tokens before a '(': other, name, `def` name

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The word that ends at `end`, ignoring blanks before `end`; sets `end` to the word's start.
std::string_view word_before(std::string_view code, std::size_t& end) {
  while (end > 0 && (code[end - 1] == ' ' || code[end - 1] == '\n' || code[end - 1] == '\t')) --end;
  const std::size_t stop = end;
  while (end > 0 && in_word(code[end - 1])) --end;
  return code.substr(end, stop - end);
}

Paren before(std::string_view code, std::size_t paren, std::string_view name) {
  if (word_before(code, paren) != name) return Paren::other;
  return word_before(code, paren) == "def" ? Paren::def : Paren::call;
}

/// Whether a function body follows the parameters.
bool has_body(std::string_view behind, Paren paren) {
  const std::size_t end = behind.find_first_of("{};,=()\"");
  const std::string_view between = behind.substr(0, end);
  if (paren == Paren::def) return between.find(':') != between.npos;
  return end != behind.npos && behind[end] == '{' && between.find(':') == between.npos;
}

/// Whether `##` follows a prefix of the name or precedes a suffix of it.
bool pastes(std::string_view line, std::string_view name) {
  for (std::size_t at = line.find("##"); at != line.npos; at = line.find("##", at + 2)) {
    std::size_t begin = at;
    const std::string_view front = word_before(line, begin);
    std::size_t first = at + 2;
    while (first < line.size() && line[first] == ' ') ++first;
    std::size_t end = first;
    while (end < line.size() && in_word(line[end])) ++end;
    const std::string_view back = line.substr(first, end - first);
    if (!front.empty() && name.starts_with(front)) return true;
    if (!back.empty() && name.ends_with(back)) return true;
  }
  return false;
}

}  // namespace

bool mentions(std::string_view code, std::string_view name) {
  for (std::size_t at = code.find(name); at != code.npos; at = code.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !in_word(code[at - 1])) && (end == code.size() || !in_word(code[end]))) {
      return true;
    }
  }
  return name.empty();
}

bool defines(std::string_view code, std::string_view name) {
  std::vector<Paren> open;
  for (std::size_t at = code.find_first_of("()"); at != code.npos;
       at = code.find_first_of("()", at + 1)) {
    if (code[at] == '(') {
      open.push_back(before(code, at, name));
    } else if (!open.empty()) {
      if (open.back() != Paren::other && has_body(code.substr(at + 1), open.back())) return true;
      open.pop_back();
    }
  }
  return false;
}

bool macro_may_define(std::string_view code, std::string_view name) {
  if (code.find("#define") == code.npos) return false;
  return std::ranges::any_of(split(code, '\n'), [&](std::string_view line) {
    return !trim(line).starts_with("//") && (mentions(line, name) || pastes(line, name));
  });
}

}  // namespace ke
