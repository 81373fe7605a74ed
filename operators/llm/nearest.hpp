#pragma once
// Explains why a SEARCH text is not in the source.

#include <span>
#include <string>

#include "operators/llm/lines.hpp"

namespace ke {

/// The lines of the source most similar to the search text, with line numbers, and the first
/// differing line in both versions. The search text must not be blank. At most 1 KiB. Linear: only
/// some positions of a frequent line are tried.
std::string nearest_lines(std::span<const Line> source, std::span<const Line> search);

}  // namespace ke
