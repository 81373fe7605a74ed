#pragma once
// Edits that change a source's text but not the behaviour of its kernel.

#include <string>
#include <utility>
#include <vector>

namespace ke {

/// Name and text of each edit: comment (added in the code), rename (local variables, parameters and
/// helper functions of plain types), dead_code (an unused function). Edits that find nothing to
/// change are left out.
std::vector<std::pair<std::string, std::string>> meaningless_edits(const std::string& source);

}  // namespace ke
