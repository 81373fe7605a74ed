#include "operators/llm/similarity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <limits>
#include <string>

#include "core/text.hpp"
#include "operators/llm/lines.hpp"

namespace ke {
namespace {

constexpr std::uint64_t fnv_offset = 0xcbf29ce484222325;
constexpr std::uint64_t fnv_prime = 0x100000001b3;

std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t hash = fnv_offset;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * fnv_prime;
  return hash;
}

bool in_token(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || byte >= 0x80;
}

/// Splits C-like text into tokens.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  /// The next token; "" at the end.
  std::string_view next() {
    skip();
    if (text_.empty()) return {};
    return take(length());
  }

 private:
  std::string_view take(std::size_t bytes) {
    const std::string_view token = text_.substr(0, bytes);
    text_.remove_prefix(token.size());
    return token;
  }

  /// Skips white space, splices and comments. An unclosed comment extends to the end.
  void skip() {
    while (!text_.empty()) {
      if (std::isspace(static_cast<unsigned char>(text_[0])) != 0) {
        take(1);
      } else if (text_.starts_with("\\\n") || text_.starts_with("\\\r\n")) {
        take(2);
      } else if (text_.starts_with("//")) {
        take(text_.find('\n'));
      } else if (text_.starts_with("/*")) {
        take(behind("*/", 2));
      } else {
        return;
      }
    }
  }

  std::size_t length() const {
    const bool number = digit(0) || (text_[0] == '.' && digit(1));
    if (number) return number_length();
    if (text_.starts_with("R\"")) return raw_length();
    if (text_[0] == '"' || text_[0] == '\'') return quoted_length();
    return std::max<std::size_t>(1, word_length());
  }

  bool digit(std::size_t at) const {
    return at < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at])) != 0;
  }

  std::size_t word_length() const {
    const auto end = std::find_if_not(text_.begin(), text_.end(), in_token);
    return static_cast<std::size_t>(end - text_.begin());
  }

  /// Digits, letters, points, digit separators, and exponent signs.
  std::size_t number_length() const {
    std::size_t at = 1;
    for (; at < text_.size(); ++at) {
      const char c = text_[at];
      const char last = static_cast<char>(std::tolower(static_cast<unsigned char>(text_[at - 1])));
      const bool hex = text_.starts_with("0x") || text_.starts_with("0X");
      const bool sign = (c == '+' || c == '-') && last == (hex ? 'p' : 'e');
      const bool separator = c == '\'' && at + 1 < text_.size() && in_token(text_[at + 1]);
      if (!in_token(c) && c != '.' && !sign && !separator) break;
    }
    return at;
  }

  /// R"mark( .. )mark"
  std::size_t raw_length() const {
    constexpr std::size_t longest_mark = 16;
    const std::size_t open = text_.substr(0, longest_mark + 3).find('(');
    if (open == text_.npos) return 1;
    const std::string end = ")" + std::string(text_.substr(2, open - 2)) + "\"";
    return behind(end, open);
  }

  std::size_t quoted_length() const {
    std::size_t at = 1;
    while (at < text_.size() && text_[at] != '\n' && text_[at] != text_[0]) {
      at += text_[at] == '\\' ? 2 : 1;
    }
    // An apostrophe or an unclosed string extends to the end of the line.
    return at < text_.size() && text_[at] == text_[0] ? at + 1 : std::min(at, text_.size());
  }

  std::size_t behind(std::string_view end, std::size_t from) const {
    const std::size_t at = text_.find(end, from);
    return at == text_.npos ? text_.size() : at + end.size();
  }

  std::string_view text_;
};

}  // namespace

std::vector<std::uint64_t> shingles(std::string_view source, std::size_t size) {
  std::vector<std::uint64_t> tokens;
  Lexer lexer(source);
  for (auto token = lexer.next(); !token.empty(); token = lexer.next()) {
    tokens.push_back(fnv1a(token));
  }
  std::vector<std::uint64_t> runs;
  if (tokens.empty()) return runs;
  size = std::clamp<std::size_t>(size, 1, tokens.size());
  for (std::size_t first = 0; first + size <= tokens.size(); ++first) {
    std::uint64_t hash = fnv_offset;
    for (std::size_t i = first; i < first + size; ++i) {
      hash = (hash ^ tokens[i]) * fnv_prime;
      hash ^= hash >> 32;
    }
    runs.push_back(hash);
  }
  std::ranges::sort(runs);
  runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
  return runs;
}

double similarity(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  std::vector<std::uint64_t> common;
  std::ranges::set_intersection(a, b, std::back_inserter(common));
  const std::size_t all = a.size() + b.size() - common.size();
  return all == 0 ? 1 : static_cast<double>(common.size()) / static_cast<double>(all);
}

namespace {

bool says_something(std::string_view line) {
  return std::ranges::any_of(
      line, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
}

std::string hashes_text(const std::set<std::uint64_t>& hashes) {
  std::string text;
  for (const std::uint64_t hash : hashes) text += fmt::format(" {:x}", hash);
  return text;
}

std::set<std::uint64_t> read_hashes(std::string_view text) {
  std::set<std::uint64_t> hashes;
  for (const std::string_view word : split(text, ' ')) {
    std::uint64_t hash = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), hash, 16);
    if (!word.empty() && error == std::errc() && end == word.data() + word.size()) {
      hashes.insert(hash);
    }
  }
  return hashes;
}

}  // namespace

LineSet line_set(std::string_view source) {
  LineSet lines;
  for (const Line& line : split_lines(source)) {
    const std::string_view text = trim(line.text);
    if (says_something(text)) lines.insert(fnv1a(text));
  }
  return lines;
}

LineReuse line_reuse(const LineSet& child, const LineSet& parent, const LineSet& deleted) {
  LineReuse reuse;
  for (const std::uint64_t line : child) {
    if (parent.contains(line)) continue;
    ++reuse.added;
    reuse.reintroduced += deleted.contains(line) ? 1 : 0;
  }
  return reuse;
}

std::uint64_t code_hash(std::string_view source) {
  std::uint64_t hash = 0;
  constexpr std::size_t whole = std::numeric_limits<std::size_t>::max();
  for (const std::uint64_t run : shingles(source, whole)) hash ^= run;
  for (const Line& line : split_lines(source)) {
    const std::string_view text = trim(line.text);
    if (text.starts_with("// @") || text.starts_with("# @")) hash = hash * 31 + fnv1a(text);
  }
  return hash;
}

std::string KnownCode::text() const {
  return ";" + hashes_text(judged) + ";" + hashes_text(deleted);
}

KnownCode KnownCode::parse(std::string_view text) {
  const auto parts = split(text, ';');
  if (parts.size() != 3) return {};
  return {read_hashes(parts[1]), read_hashes(parts[2])};
}

}  // namespace ke
