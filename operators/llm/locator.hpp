#pragma once
// Finds SEARCH texts in a source.

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "operators/llm/indent_map.hpp"
#include "operators/llm/line_index.hpp"

namespace ke {

/// The location of a SEARCH text.
struct Match {
  std::vector<std::size_t> firsts;  ///< first lines of all matches, ascending
  std::span<const Line> search;     ///< the lines that matched
  MatchTolerance tolerance = MatchTolerance::nothing;
};

/// Searches one source, from strict to tolerant; the first method that finds a match decides.
class Locator {
 public:
  explicit Locator(std::span<const Line> source);

  /// Tries with blank lines at both ends, then without. Indentation may differ if it maps
  /// consistently.
  Match locate(std::span<const Line> search) const;
  /// The mapping for a match that differs only in indentation.
  IndentMap indent_map(std::size_t first, std::span<const Line> search) const;

 private:
  std::span<const Line> source_;
  std::array<LineIndex, 3> indices_;
};

}  // namespace ke
