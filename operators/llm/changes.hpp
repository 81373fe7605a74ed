#pragma once
// Changes of a source, by lines.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "operators/llm/regions.hpp"

namespace ke {

/// Lines [first, end) of a source give way to new ones.
struct Change {
  std::size_t first = 0;
  std::size_t end = 0;
  std::vector<std::string> lines;
  std::size_t block = 0;  ///< number of the block that asks for it, from 0

  bool nothing() const { return first == end && lines.empty(); }
};

/// The change without the lines at both ends that stay as they are, blanks at line ends aside.
Change without_context(Change change, std::span<const Line> source);

/// Two changes of the same place, or null. Puts the changes in their order.
struct Overlap {
  const Change* one = nullptr;
  const Change* other = nullptr;
};
Overlap sort_changes(std::vector<Change>& changes);

/// The source after changes that are in order and apart. New lines end as its first line does; the
/// other lines stay as they are, byte for byte.
std::string with_changes(const EditableSource& source, std::span<const Change> changes);

}  // namespace ke
