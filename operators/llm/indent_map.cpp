#include "operators/llm/indent_map.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace ke {

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

}  // namespace ke
