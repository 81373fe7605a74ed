#pragma once
// What to tell about a SEARCH text that is not in the source.

#include <span>
#include <string>

#include "operators/llm/lines.hpp"

namespace ke {

/// The lines of the source that are most like the search text, with line numbers, and the first
/// line that differs in both versions. Needs a search text that is not blank. At most 1 KiB.
/// Linear: of a line that is frequent in the source only some places are tried.
std::string nearest_lines(std::span<const Line> source, std::span<const Line> search);

}  // namespace ke
