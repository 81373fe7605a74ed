#pragma once
// Writes files atomically.

#include <string>
#include <string_view>

#include "core/result.hpp"

namespace ke {

/// Replaces the file by `text`, durably and atomically: readers see the old or the new content,
/// even if this process is killed.
Result<void> write_atomically(const std::string& path, std::string_view text);

}  // namespace ke
