#pragma once
// Finds SEARCH texts in a source.

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "operators/llm/indent_map.hpp"
#include "operators/llm/line_index.hpp"

namespace ke {

/// Where a SEARCH text is.
struct Match {
  std::vector<std::size_t> firsts;  ///< first lines of all places, ascending
  std::span<const Line> search;     ///< the lines that were found
  MatchTolerance tolerance = MatchTolerance::nothing;
};

/// Searches one source, from the strict to the tolerant; the first way that finds anything decides.
class Locator {
 public:
  explicit Locator(std::span<const Line> source);

  /// With blank lines at both ends, then without. Indentation may differ if it maps consistently.
  Match locate(std::span<const Line> search) const;
  /// Of the search lines at a place where they differ in indentation alone.
  IndentMap indent_map(std::size_t first, std::span<const Line> search) const;

 private:
  std::span<const Line> source_;
  std::array<LineIndex, 3> indices_;
};

}  // namespace ke
