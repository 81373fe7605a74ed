#include "experiments/text/shell_word.hpp"

#include <algorithm>
#include <string_view>

#include "core/text.hpp"

namespace ke {

std::string shell_quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string shell_word(const std::string& word) {
  constexpr std::string_view harmless = "-./=:,+@%";
  const bool plain = !word.empty() && std::ranges::all_of(word, [&](char c) {
    return may_stand_in_identifier(c) || harmless.find(c) != harmless.npos;
  });
  return plain ? word : shell_quoted(word);
}

}  // namespace ke
