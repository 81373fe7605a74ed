#include "operators/llm/lines.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace ke {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::string_view blanks = " \t\r\n\f\v";

/// Length in bytes of the UTF-8 character at the start of `bytes`; 0 = invalid.
std::size_t character(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return lead == 0 ? 0 : 1;
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || bytes.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool no_scalar = (lead == 0xED && second > 0x9F) || (lead == 0xF4 && second > 0x8F);
  return overlong || no_scalar ? 0 : size;
}

}  // namespace

std::string_view compared(std::string_view line, MatchTolerance tolerance) {
  if (tolerance == MatchTolerance::nothing) return line;
  line = trim_right(line);
  return tolerance == MatchTolerance::line_ends ? line : line.substr(indentation(line).size());
}

LineIndex::LineIndex(std::span<const Line> lines, MatchTolerance tolerance)
    : tolerance_(tolerance) {
  ids_.reserve(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto& places = places_[compared(lines[i].text, tolerance)];
    places.push_back(i);
    ids_.push_back(&places);  // the map's values keep their addresses
  }
}

std::span<const std::size_t> LineIndex::places(std::string_view line) const {
  const auto found = places_.find(compared(line, tolerance_));
  if (found == places_.end()) return {};
  return found->second;
}

std::vector<std::size_t> LineIndex::find(std::span<const Line> search) const {
  std::vector<const std::vector<std::size_t>*> wanted;
  std::size_t rarest = 0;
  for (const Line& line : search) {
    const auto found = places_.find(compared(line.text, tolerance_));
    if (found == places_.end()) return {};
    wanted.push_back(&found->second);
    if (found->second.size() < wanted[rarest]->size()) rarest = wanted.size() - 1;
  }
  std::vector<std::size_t> firsts;
  if (wanted.empty()) return firsts;
  for (const std::size_t place : *wanted[rarest]) {
    if (place < rarest || place - rarest + wanted.size() > ids_.size()) continue;
    const auto first = ids_.begin() + static_cast<std::ptrdiff_t>(place - rarest);
    if (std::equal(wanted.begin(), wanted.end(), first)) firsts.push_back(place - rarest);
    if (firsts.size() == most_found) break;
  }
  return firsts;
}

std::vector<Line> split_lines(std::string_view text) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  std::vector<Line> lines;
  while (!text.empty()) {
    const std::size_t feed = text.find('\n');
    const std::string_view whole = text.substr(0, feed == text.npos ? feed : feed + 1);
    std::string_view line = whole;
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (line.size() < whole.size() && line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back({line, whole});
    text.remove_prefix(whole.size());
  }
  return lines;
}

std::string with_line_feeds(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      out += text[i];
    } else if (i + 1 == text.size() || text[i + 1] != '\n') {
      out += '\n';
    }
  }
  return out;
}

std::string_view trim_right(std::string_view text) {
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

std::string_view indentation(std::string_view line) {
  return line.substr(0, line.find_first_not_of(" \t"));
}

bool is_blank(std::string_view text) { return text.find_first_not_of(blanks) == text.npos; }

std::span<const Line> without_blank_ends(std::span<const Line> lines) {
  while (!lines.empty() && is_blank(lines.front().text)) lines = lines.subspan(1);
  while (!lines.empty() && is_blank(lines.back().text)) lines = lines.first(lines.size() - 1);
  return lines;
}

bool same_lines(std::span<const Line> a, std::span<const Line> b) {
  return std::ranges::equal(
      a, b, {}, [](const Line& line) { return trim_right(line.text); },
      [](const Line& line) { return trim_right(line.text); });
}

bool is_text(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t size = character(bytes);
    if (size == 0) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

}  // namespace ke
