#include "operators/llm/line_index.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace ke {

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

}  // namespace ke
