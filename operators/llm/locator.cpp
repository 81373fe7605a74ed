#include "operators/llm/locator.hpp"

#include <utility>

namespace ke {

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
