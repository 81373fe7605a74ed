#include "operators/llm/changes.hpp"

#include <algorithm>
#include <utility>

namespace ke {
namespace {

bool overlap(const Change& a, const Change& b) {
  const bool both_insert = a.first == a.end && b.first == b.end;
  return b.first < a.end || (both_insert && a.first == b.first);
}

}  // namespace

Change without_context(Change change, std::span<const Line> source) {
  const auto same = [&](std::size_t at, const std::string& line) {
    return trim_right(source[at].text) == trim_right(line);
  };
  auto from = change.lines.begin();
  while (change.first < change.end && from != change.lines.end() && same(change.first, *from)) {
    ++change.first;
    ++from;
  }
  change.lines.erase(change.lines.begin(), from);
  while (change.first < change.end && !change.lines.empty() &&
         same(change.end - 1, change.lines.back())) {
    --change.end;
    change.lines.pop_back();
  }
  return change;
}

Overlap sort_changes(std::vector<Change>& changes) {
  const auto place = [](const Change& change) { return std::pair(change.first, change.end); };
  std::ranges::stable_sort(changes, {}, place);
  const auto found = std::ranges::adjacent_find(changes, overlap);
  if (found == changes.end()) return {};
  return {&found[0], &found[1]};
}

std::string with_changes(const EditableSource& source, std::span<const Change> changes) {
  const auto& lines = source.lines;
  const bool dos = !lines.empty() && lines[0].whole.ends_with("\r\n");
  const auto start_of = [&](std::size_t line) {
    return line < lines.size()
               ? static_cast<std::size_t>(lines[line].whole.data() - source.text.data())
               : source.text.size();
  };
  std::string text;
  std::size_t at = 0;
  for (const Change& change : changes) {
    text += source.text.substr(at, start_of(change.first) - at);
    if (change.first > 0 && !text.ends_with('\n')) text += dos ? "\r\n" : "\n";
    for (const std::string& line : change.lines) text.append(line) += dos ? "\r\n" : "\n";
    at = start_of(change.end);
  }
  return text.append(source.text.substr(at));
}

}  // namespace ke
