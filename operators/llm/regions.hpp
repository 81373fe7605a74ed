#pragma once
// The editable parts of a source.

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "operators/llm/edit.hpp"
#include "operators/llm/lines.hpp"

namespace ke {

/// Lines [first, end) of a source, counted from 0.
struct EditRegion {
  std::size_t first = 0;
  std::size_t end = 0;

  /// Whether it contains the lines [from, to). An empty range may also be at its end.
  bool holds(std::size_t from, std::size_t to) const { return first <= from && to <= end; }
};

/// A source with its editable regions: between the lines `// EVOLVE-BLOCK-START` and `//
/// EVOLVE-BLOCK-END` (or with `#`; a title may follow), else all of it. Views the text.
struct EditableSource {
  std::string_view text;
  std::vector<Line> lines;
  std::vector<EditRegion> regions;  ///< in order, disjoint
  bool marked = false;              ///< whether it has EVOLVE-BLOCK lines
};

/// Whether the line is a region marker or was meant to be one.
bool is_region_marker(std::string_view line);

/// Finds the regions. Error, with `name` and line: nested, unpaired or misspelt markers.
Result<EditableSource> editable_source(std::string_view name, std::string_view text);

}  // namespace ke
