#pragma once
// The parts of a source that may change.

#include <cstddef>
#include <span>
#include <string>
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

  /// Whether it holds lines [from, to). Nothing at all may also stand at its end.
  bool holds(std::size_t from, std::size_t to) const { return first <= from && to <= end; }
};

/// A source with the regions that may change: those between lines `// EVOLVE-BLOCK-START` and
/// `// EVOLVE-BLOCK-END` (or with `#`; a title may follow), else all of it. Views the text.
struct EditableSource {
  std::string_view text;
  std::vector<Line> lines;
  std::vector<EditRegion> regions;  ///< in order, apart
  bool marked = false;              ///< whether it has EVOLVE-BLOCK lines
};

/// Whether the line is one that says where a region starts or ends, or was meant to be.
bool is_region_marker(std::string_view line);

/// Finds the regions. An error, with `name` and line, if markers are nested, alone or misspelt.
Result<EditableSource> editable_source(std::string_view name, std::string_view text);

}  // namespace ke
