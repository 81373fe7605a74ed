#pragma once
// Files that are there whole or not at all.

#include <string>
#include <string_view>

#include "core/result.hpp"

namespace ke {

/// Replaces the file by `text`, durably: readers see the old content or the new one, whenever this
/// process is killed.
Result<void> write_atomically(const std::string& path, std::string_view text);

}  // namespace ke
