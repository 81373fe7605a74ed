#pragma once
// Line-based changes of a source.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "operators/llm/regions.hpp"

namespace ke {

/// Replaces lines [first, end) of a source.
struct Change {
  std::size_t first = 0;
  std::size_t end = 0;
  std::vector<std::string> lines;
  std::size_t block = 0;  ///< index of its block, from 0

  bool nothing() const { return first == end && lines.empty(); }
};

/// Removes unchanged lines at both ends of the change; ignores blanks at line ends.
Change without_context(Change change, std::span<const Line> source);

/// Two changes of the same place, or null. Also sorts the changes.
struct Overlap {
  const Change* one = nullptr;
  const Change* other = nullptr;
};
Overlap sort_changes(std::vector<Change>& changes);

/// Applies sorted, disjoint changes to a source. New lines get the line ending of the first line;
/// other lines stay byte for byte.
std::string with_changes(const EditableSource& source, std::span<const Change> changes);

}  // namespace ke
