#pragma once
// Finds sequences of lines in a source.

#include <cstddef>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "operators/llm/lines.hpp"

namespace ke {

/// Allowed differences between lines that count as equal.
enum class MatchTolerance { nothing, line_ends, indentation };

/// The part of a line that is compared.
std::string_view compared(std::string_view line, MatchTolerance tolerance);

/// An index of the lines of one source by their compared part.
class LineIndex {
 public:
  LineIndex(std::span<const Line> lines, MatchTolerance tolerance);

  static constexpr std::size_t most_found = 256;

  MatchTolerance tolerance() const { return tolerance_; }

  /// Positions at which the lines of `search` occur consecutively: first lines, ascending, at most
  /// `most_found`. Starts from the rarest line: linear in practice. An empty search finds nothing.
  std::vector<std::size_t> find(std::span<const Line> search) const;

  /// Positions of one line, ascending.
  std::span<const std::size_t> places(std::string_view line) const;

 private:
  MatchTolerance tolerance_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> places_;
  std::vector<const std::vector<std::size_t>*> ids_;  ///< per line; equal lines have equal pointers
};

}  // namespace ke
