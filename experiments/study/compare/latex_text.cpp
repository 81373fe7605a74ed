#include "experiments/study/compare/latex_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace ke {
namespace {

using Named = std::pair<char32_t, std::string_view>;

constexpr Named signs[] = {
    {U'\\', "\\textbackslash{}"},
    {U'~', "\\~{}"},
    {U'^', "\\^{}"},
    {U'<', "\\textless{}"},
    {U'>', "\\textgreater{}"},
    {U'|', "\\textbar{}"},
    {U'"', "''"},
    {U'[', "{[}"},  // behind the end of a row, an option would begin
    {U'*', "{*}"},
    {U'–', "--"},
    {U'—', "---"},
    {U'‘', "`"},
    {U'’', "'"},
    {U'“', "``"},
    {U'”', "''"},
    {U'…', "\\ldots{}"},
    {U'−', "$-$"},
    {U'≤', "$\\leq$"},
    {U'≥', "$\\geq$"},
    {U'≠', "$\\neq$"},
    {U'≈', "$\\approx$"},
    {U'→', "$\\rightarrow$"},
    {U'←', "$\\leftarrow$"},
    {U'↔', "$\\leftrightarrow$"},
    {U'∞', "$\\infty$"},
    {U'∈', "$\\in$"},
    {U'√', "$\\surd$"},
    {U'∘', "$\\circ$"},
};

/// From alpha (U+03B1) on, without omicron and with final sigma.
constexpr std::string_view greek[] = {
    "alpha", "beta",   "gamma",   "delta", "epsilon", "zeta", "eta",  "theta", "iota",
    "kappa", "lambda", "mu",      "nu",    "xi",      "",     "pi",   "rho",   "varsigma",
    "sigma", "tau",    "upsilon", "phi",   "chi",     "psi",  "omega"};
constexpr std::pair<char32_t, std::string_view> capitals[] = {
    {U'Γ', "Gamma"}, {U'Δ', "Delta"}, {U'Θ', "Theta"}, {U'Λ', "Lambda"}, {U'Ξ', "Xi"},
    {U'Π', "Pi"},    {U'Σ', "Sigma"}, {U'Φ', "Phi"},   {U'Ψ', "Psi"},    {U'Ω', "Omega"}};

/// Letters below U+0180 that LaTeX's oldest encoding cannot compose.
constexpr char32_t not_composed[] = {0xAA,  0xAB,  0xBA,  0xBB,  0xD0,  0xDE,  0xF0,  0xFE,
                                     0x104, 0x105, 0x110, 0x111, 0x118, 0x119, 0x126, 0x127,
                                     0x12E, 0x12F, 0x138, 0x13F, 0x140, 0x149, 0x14A, 0x14B,
                                     0x166, 0x167, 0x172, 0x173, 0x17F};

std::string greek_letter(char32_t c) {
  if (c >= U'α' && c <= U'ω') {
    const std::string_view name = greek[c - U'α'];
    return name.empty() ? "o" : fmt::format("$\\{}$", name);
  }
  const auto* capital =
      std::ranges::find(capitals, c, &std::pair<char32_t, std::string_view>::first);
  return capital == std::end(capitals) ? std::string() : fmt::format("$\\{}$", capital->second);
}

bool is_composed(char32_t c) {
  return c >= 0xA0 && c < 0x180 && std::ranges::find(not_composed, c) == std::end(not_composed);
}

/// A character of UTF-8 text: its number and its bytes. A byte that begins none stands for itself.
struct Character {
  char32_t number = 0;
  std::string_view bytes;
};

std::size_t length_of(unsigned char first) {
  if (first < 0xC2) return 1;
  return first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 1;
}

Character next_character(std::string_view& rest) {
  const auto first = static_cast<unsigned char>(rest.front());
  std::size_t length = std::min(length_of(first), rest.size());
  char32_t number = length == 1 ? first : first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(rest[i]);
    if ((byte & 0xC0U) == 0x80) {
      number = number << 6U | (byte & 0x3FU);
      continue;
    }
    length = 1;
    number = 0xFFFD;
  }
  if (length == 1 && first >= 0x80) number = 0xFFFD;
  const Character c{number, rest.substr(0, length)};
  rest.remove_prefix(length);
  return c;
}

std::string latex_of(const Character& character) {
  const char32_t c = character.number;
  if (c < 0x20 || c == 0x7F) return " ";
  const auto* sign = std::ranges::find(signs, c, &Named::first);
  if (sign != std::end(signs)) return std::string(sign->second);
  if (std::u32string_view(U"&%$#_{}").find(c) != std::u32string_view::npos) {
    return fmt::format("\\{}", static_cast<char>(c));
  }
  if (c < 0x80 || is_composed(c)) return std::string(character.bytes);
  const std::string letter = greek_letter(c);
  return letter.empty() ? fmt::format("{{[}}U+\\penalty5000 {:04X}{{]}}", static_cast<unsigned>(c))
                        : letter;
}

bool ends_word(char32_t c) { return c == U' ' || c == U'-'; }
bool may_break_behind(char32_t c) { return c == U'_' || c == U'/' || c == U'.' || c == U':'; }

}  // namespace

std::string latex_text(std::string_view text) {
  std::string out;
  char32_t before = U' ';
  while (!text.empty()) {
    const Character c = next_character(text);
    const bool opens = c.number == U'\'' && (before == U' ' || before == U'(');
    out += opens ? "`" : latex_of(c);
    before = c.number;
  }
  return out;
}

std::string latex_cell(std::string_view text, std::size_t letters) {
  std::string out;
  std::size_t length = 0;
  while (!text.empty()) {
    const Character c = next_character(text);
    if (length >= letters && !ends_word(c.number)) {
      out += "\\penalty5000 ";  // rather behind a space
      length = 0;
    }
    const std::string shown = latex_of(c);
    out += shown;
    length += shown.starts_with("{[}U+") ? letters : 1;
    if (may_break_behind(c.number)) out += "\\allowbreak ";
    if (ends_word(c.number) || may_break_behind(c.number)) length = 0;
  }
  return out;
}

std::string latex_number(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (!text.starts_with('-')) return text;
  text.erase(0, 1);
  return text.find_first_not_of("0.") == text.npos ? text : "$-$" + text;
}

}  // namespace ke
