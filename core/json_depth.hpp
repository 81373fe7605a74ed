#pragma once
// Limits the nesting of JSON text: readers, writers and destructors recurse.

#include <cstddef>
#include <string_view>

namespace ke {

/// Whether no value lies inside more than `deepest` nested lists and objects. Exact for valid JSON.
/// Linear.
bool is_shallow(std::string_view json, std::size_t deepest);

}  // namespace ke
