#pragma once
// Finds runs of lines in a source.

#include <cstddef>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "operators/llm/lines.hpp"

namespace ke {

/// What may differ between two lines that count as equal.
enum class MatchTolerance { nothing, line_ends, indentation };

/// The part of a line that has to be equal.
std::string_view compared(std::string_view line, MatchTolerance tolerance);

/// The lines of one source, by what is compared of them.
class LineIndex {
 public:
  LineIndex(std::span<const Line> lines, MatchTolerance tolerance);

  static constexpr std::size_t most_found = 256;

  MatchTolerance tolerance() const { return tolerance_; }

  /// Where the lines of `search` stand one after the other: first lines, ascending, at most
  /// `most_found`. Starts from the rarest of the lines, so that it is linear in practice. Nothing
  /// is nowhere.
  std::vector<std::size_t> find(std::span<const Line> search) const;

  /// Where one line stands, ascending.
  std::span<const std::size_t> places(std::string_view line) const;

 private:
  MatchTolerance tolerance_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> places_;
  std::vector<const std::vector<std::size_t>*> ids_;  ///< of each line; equal lines have equal ones
};

}  // namespace ke
