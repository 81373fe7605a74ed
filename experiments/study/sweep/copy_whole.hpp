#pragma once
// Copies run files so that readers see a copy whole or not at all, on any file system.

#include <filesystem>

#include "core/result.hpp"

namespace ke {

/// Error if SQLite holds a part of the run in files beside it: a process writes it, or one was
/// killed.
Result<void> require_closed(const std::filesystem::path& run);

/// Copies durably under another name, then renames. A killed copy leaves `<to>.<host>.<pid>.part`.
Result<void> copy_whole(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace ke
