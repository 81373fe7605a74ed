#include "experiments/text/table.hpp"

#include <algorithm>

#include "core/result.hpp"

namespace ke {

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + "\"";
}

namespace {

using Row = std::vector<std::string>;

/// Counts characters, not bytes: UTF-8 continuation bytes take no room.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

bool numeric(const std::string& text) {
  return text.empty() || text == "-" || (text[0] >= '0' && text[0] <= '9') ||
         (text.size() > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9');
}

std::string padded(const std::string& text, std::size_t room, bool right) {
  const std::string space(room - std::min(room, width(text)), ' ');
  return right ? space + text : text + space;
}

}  // namespace

void Table::add(std::vector<std::string> row) {
  KE_CHECK(row.size() == head_.size());
  rows_.push_back(std::move(row));
}

std::string Table::text() const {
  std::vector<std::size_t> room;
  std::vector<bool> right;
  for (std::size_t c = 0; c < head_.size(); ++c) {
    room.push_back(width(head_[c]));
    for (const Row& row : rows_) room[c] = std::max(room[c], width(row[c]));
    right.push_back(
        std::all_of(rows_.begin(), rows_.end(), [&](const Row& row) { return numeric(row[c]); }));
  }
  const auto line = [&](const Row& row) {
    std::string text;
    for (std::size_t c = 0; c < row.size(); ++c) {
      text += (c == 0 ? "" : "  ") + padded(row[c], room[c], right[c]);
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text + "\n";
  };
  Row rule;
  for (const std::size_t r : room) rule.push_back(std::string(r, '-'));
  std::string text = line(head_) + line(rule);
  for (const Row& row : rows_) text += line(row);
  return text;
}

}  // namespace ke
