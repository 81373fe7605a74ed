#pragma once
// Edits of a source that change what a reader sees and nothing that the kernel does.

#include <string>
#include <utility>
#include <vector>

namespace ke {

/// Name and text of each edit: comment (added in the code), rename (local variables, parameters and
/// helper functions of plain types), dead_code (an unused function). An edit that finds nothing to
/// change is left out.
std::vector<std::pair<std::string, std::string>> meaningless_edits(const std::string& source);

}  // namespace ke
