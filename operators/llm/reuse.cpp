#include "operators/llm/reuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

#include "core/text.hpp"
#include "operators/llm/lines.hpp"
#include "operators/llm/shingles.hpp"

namespace ke {
namespace {

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

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
    if (says_something(text)) lines.insert(hash_of(text));
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
    if (text.starts_with("// @") || text.starts_with("# @")) hash = hash * 31 + hash_of(text);
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
