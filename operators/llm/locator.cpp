#include "operators/llm/locator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/text.hpp"
#include "operators/llm/edit.hpp"

namespace ke {
namespace {

constexpr std::size_t most_places = 16;    ///< tried positions per line
constexpr std::size_t most_looked = 200;   ///< bytes of a line used for its likeness
constexpr std::size_t most_shown = 120;    ///< bytes of a line
constexpr std::ptrdiff_t most_before = 2;  ///< lines shown before the one that differs

/// Similarity in [0, 1]: the share of the longer line covered by equal beginnings and ends; 1 if it
/// contains the other line.
double likeness(std::string_view a, std::string_view b) {
  a = trim(a).substr(0, most_looked);
  b = trim(b).substr(0, most_looked);
  if (!b.empty() && a.find(b) != a.npos) return 1;
  const std::size_t shorter = std::min(a.size(), b.size());
  const auto ends =
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(shorter), b.begin());
  const auto head = static_cast<std::size_t>(ends.first - a.begin());
  std::size_t tail = 0;
  while (head + tail < shorter && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  const std::size_t longer = std::max(a.size(), b.size());
  return longer == 0 ? 0 : static_cast<double>(head + tail) / static_cast<double>(longer);
}

/// The start line in the source at which most lines of the search text match.
std::optional<std::ptrdiff_t> best_alignment(std::span<const Line> source,
                                             std::span<const Line> search) {
  const LineIndex index(source, MatchTolerance::indentation);
  std::unordered_map<std::ptrdiff_t, std::size_t> votes;
  std::optional<std::ptrdiff_t> best;
  for (std::size_t i = 0; i < search.size(); ++i) {
    if (trim(search[i].text).size() < 2) continue;  // blank, or a single brace
    const auto places = index.places(search[i].text);
    for (const std::size_t place : places.first(std::min(places.size(), most_places))) {
      const auto start = static_cast<std::ptrdiff_t>(place) - static_cast<std::ptrdiff_t>(i);
      if (++votes[start] > (best ? votes[*best] : 0)) best = start;
    }
  }
  return best;
}

/// Aligns the first line of the search text with the most similar line of the source.
std::ptrdiff_t likest(std::span<const Line> source, std::string_view line) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < source.size(); ++i) {
    if (likeness(source[i].text, line) > likeness(source[best].text, line)) best = i;
  }
  return static_cast<std::ptrdiff_t>(best);
}

std::string shown(std::size_t at, std::string_view text) {
  return fmt::format("  line {} | {}\n", at + 1, cut(std::string(text), most_shown));
}

/// Describes where two lines differ.
std::string difference(std::string_view theirs, std::string_view ours) {
  if (trim(theirs) == trim(ours)) return "only the blanks differ";
  if (theirs.find(trim(ours)) != theirs.npos) return "SEARCH must give whole lines";
  const std::size_t shorter = std::min(theirs.size(), ours.size());
  std::size_t column = 0;
  while (column < shorter && theirs[column] == ours[column]) ++column;
  return fmt::format("they part at column {}", column + 1);
}

}  // namespace

std::string nearest_lines(std::span<const Line> source, std::span<const Line> search) {
  search = without_blank_ends(search);
  if (without_blank_ends(source).empty()) return "The source is empty.";
  const auto start = best_alignment(source, search).value_or(likest(source, search[0].text));
  const auto line_of = [&](std::size_t i) { return start + static_cast<std::ptrdiff_t>(i); };
  const auto inside = [&](std::ptrdiff_t at) {
    return at >= 0 && at < static_cast<std::ptrdiff_t>(source.size());
  };
  std::size_t i = 0;
  // If all lines match, only the indentation differs; then line 1 is named.
  while (i < search.size() && inside(line_of(i)) &&
         trim_right(source[line_of(i)].text) == trim_right(search[i].text)) {
    ++i;
  }
  if (i == search.size()) i = 0;
  std::string text = "Nearest lines of the source:\n";
  for (auto at = std::max(line_of(i) - most_before, start); at <= line_of(i); ++at) {
    if (inside(at)) text += shown(at, source[at].text);
  }
  const std::string_view ours = search[i].text;
  text += fmt::format("  yours  | {}\n", cut(std::string(ours), most_shown));
  if (!inside(line_of(i))) return text + "  (the source has no line there)\n";
  return text + fmt::format("  ({})\n", difference(source[line_of(i)].text, ours));
}

IndentMap::IndentMap(std::span<const Line> search, std::span<const Line> found) {
  for (std::size_t i = 0; i < search.size(); ++i) {
    if (is_blank(search[i].text)) continue;
    const std::string_view to = indentation(found[i].text);
    const auto known = map_.try_emplace(indentation(search[i].text), to).first;
    consistent_ = consistent_ && known->second == to;
  }
}

std::string IndentMap::apply(std::string_view line) const {
  if (map_.empty() || is_blank(line)) return std::string(line);
  const std::string_view own = indentation(line);
  const std::string_view rest = line.substr(own.size());
  // A string's prefixes sort directly before it, the longest last.
  const auto behind = map_.upper_bound(own);
  if (behind != map_.begin() && own.starts_with(std::prev(behind)->first)) {
    const auto& [from, to] = *std::prev(behind);
    return std::string(to).append(own.substr(from.size())).append(rest);
  }
  const auto& [from, to] = *map_.begin();
  if (to.ends_with(from)) return std::string(to.substr(0, to.size() - from.size())).append(line);
  const std::size_t less = from.size() > to.size() ? from.size() - to.size() : 0;
  return std::string(line.substr(std::min(less, own.size())));
}

Locator::Locator(std::span<const Line> source)
    : source_(source),
      indices_{LineIndex(source, MatchTolerance::nothing),
               LineIndex(source, MatchTolerance::line_ends),
               LineIndex(source, MatchTolerance::indentation)} {}

Match Locator::locate(std::span<const Line> search) const {
  const auto inner = without_blank_ends(search);
  for (const auto lines : {search, inner}) {
    for (const LineIndex& index : indices_) {
      auto firsts = index.find(lines);
      if (index.tolerance() == MatchTolerance::indentation) {
        std::erase_if(firsts, [&](auto first) { return !indent_map(first, lines).consistent(); });
      }
      if (!firsts.empty()) return {std::move(firsts), lines, index.tolerance()};
    }
    if (inner.size() == search.size()) break;
  }
  return {};
}

IndentMap Locator::indent_map(std::size_t first, std::span<const Line> search) const {
  return {search, source_.subspan(first, search.size())};
}

}  // namespace ke
