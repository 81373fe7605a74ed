#pragma once
// How deep JSON text is nested: readers of it recurse, writers and destructors too.

#include <cstddef>
#include <string_view>

namespace ke {

/// Whether no value of a JSON text stands in more than `deepest` lists and objects. Exact for valid
/// JSON. Linear.
bool is_shallow(std::string_view json, std::size_t deepest);

}  // namespace ke
