#include "experiments/study/check/meaningless_edits.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>

namespace ke {
namespace {

/// A token of C++ text. Comments, literals and #include lines stay whole.
struct Token {
  std::string text;
  bool name = false;   ///< an identifier or keyword
  bool blank = false;  ///< white space, comment, literal or #include line
};

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t end_of_line(std::string_view text) { return std::min(text.find('\n'), text.size()); }

/// Returns the position after a literal; `text` begins with its quote.
std::size_t end_of_literal(std::string_view text) {
  std::size_t at = 1;
  while (at < text.size() && text[at] != text[0]) at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

/// Length of the blank at the start of the text, or 0.
std::size_t blank_length(std::string_view text) {
  if (text.starts_with("//")) return end_of_line(text);
  if (text.starts_with("#include")) return end_of_line(text);
  if (text.starts_with("/*")) return std::min(text.find("*/", 2), text.size() - 2) + 2;
  if (text[0] == '"' || text[0] == '\'') return end_of_literal(text);
  return std::isspace(static_cast<unsigned char>(text[0])) != 0 ? 1 : 0;
}

template <typename Condition>
std::size_t length_while(std::string_view text, const Condition& condition) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), condition) -
                                  text.begin());
}

Token first_token(std::string_view text) {
  if (const std::size_t blank = blank_length(text); blank > 0) {
    return {std::string(text.substr(0, blank)), false, true};
  }
  if (starts_name(text[0])) {
    return {std::string(text.substr(0, length_while(text, continues_name))), true, false};
  }
  // A number with its suffix and digit separators is one token, so `1'000f` holds no name and no
  // quote.
  if (std::isdigit(static_cast<unsigned char>(text[0])) != 0) {
    const auto part = [](char c) { return continues_name(c) || c == '\'' || c == '.'; };
    return {std::string(text.substr(0, length_while(text, part)))};
  }
  for (const std::string_view pair : {"::", "->"}) {
    if (text.starts_with(pair)) return {std::string(pair)};
  }
  return {std::string(text.substr(0, 1))};
}

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  while (!text.empty()) {
    tokens.push_back(first_token(text));
    text.remove_prefix(tokens.back().text.size());
  }
  return tokens;
}

bool is_type(std::string_view word) {
  static constexpr std::array<std::string_view, 9> types = {
      "float", "double", "int", "bool", "auto", "size_t", "unsigned", "int32_t", "ptrdiff_t"};
  return std::find(types.begin(), types.end(), word) != types.end();
}

/// Unqualified names declared with a plain type; excludes members and library names.
std::set<std::string> renamable(const std::vector<Token>& code) {
  std::set<std::string> declared;
  std::set<std::string> kept = {"kernel", "operator", "const", "long", "int"};
  for (std::size_t i = 1; i < code.size(); ++i) {
    if (!code[i].name) continue;
    std::size_t before = i - 1;
    const std::string& last = code[before].text;
    if (last == "." || last == "->" || last == "::" || last == "define") kept.insert(code[i].text);
    while (before > 0 && (code[before].text == "*" || code[before].text == "&" ||
                          code[before].text == "const" || code[before].text == "__restrict__")) {
      --before;
    }
    if (is_type(code[before].text)) declared.insert(code[i].text);
    if (i + 1 < code.size() && code[i + 1].text == "::") kept.insert(code[i].text);
  }
  std::erase_if(declared, [&](const std::string& name) {
    return kept.contains(name) || is_type(name) || name.starts_with("__");
  });
  return declared;
}

std::string renamed(const std::string& source) {
  const std::vector<Token> tokens = tokens_of(source);
  std::vector<Token> code;
  std::copy_if(tokens.begin(), tokens.end(), std::back_inserter(code),
               [](const Token& token) { return !token.blank; });
  const std::set<std::string> names = renamable(code);
  std::string text;
  for (const Token& token : tokens) {
    text += token.text;
    if (token.name && names.contains(token.text)) text += "_other";
  }
  return text;
}

/// Adds comments behind the opening brace of the kernel's body.
std::string commented(const std::string& source) {
  const std::size_t kernel = source.find("kernel(");
  const std::size_t brace = source.find('{', std::min(kernel, source.size()));
  if (brace == source.npos) return source;
  return source.substr(0, brace + 1) + "\n  // A comment: float mul[4]; while (true) ++n;\n" +
         source.substr(brace + 1);
}

constexpr std::string_view dead_function = R"(
static inline __attribute__((unused)) float never_called_(const float* from, int count) {
  float sum = 0;
  for (int i = 0; i < count; ++i) sum += from[i] / 3.0f;
  return sum;
}
)";

}  // namespace

std::vector<std::pair<std::string, std::string>> meaningless_edits(const std::string& source) {
  std::vector<std::pair<std::string, std::string>> edits = {
      {"comment", commented(source)},
      {"rename", renamed(source)},
      {"dead_code", source + std::string(dead_function)}};
  std::erase_if(edits, [&](const auto& edit) { return edit.second == source; });
  return edits;
}

}  // namespace ke
