#pragma once
// Finds SEARCH texts in a source.

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "operators/llm/lines.hpp"

namespace ke {

/// The lines of the source most similar to the search text, with line numbers, and the first
/// differing line in both versions. The search text must not be blank. At most 1 KiB. Linear: only
/// some positions of a frequent line are tried.
std::string nearest_lines(std::span<const Line> source, std::span<const Line> search);

/// Maps the indentation of a SEARCH text to that of the matching lines.
class IndentMap {
 public:
  /// The lines must be equal except for blanks at both ends.
  IndentMap(std::span<const Line> search, std::span<const Line> found);

  /// Whether equal indentation always maps to equal indentation; otherwise the structure differs.
  bool consistent() const { return consistent_; }

  /// The line with the file's indentation: maps the longest known prefix of its own, or else shifts
  /// it like the shallowest known one.
  std::string apply(std::string_view line) const;

 private:
  std::map<std::string_view, std::string_view> map_;
  bool consistent_ = true;
};

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
