#pragma once
// Differences of two texts.

#include <string>
#include <string_view>

namespace ke {

/// Unified diff with three lines of context; "" if the texts are equal.
std::string unified_diff(std::string_view old_name, std::string_view old_text,
                         std::string_view new_name, std::string_view new_text);

}  // namespace ke
