#pragma once
// Whole files and folders: writes files atomically, reads them, makes folders.

#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace ke {

/// Replaces the file by `text`, durably and atomically: readers see the old or the new content,
/// even if this process is killed.
Result<void> write_atomically(const std::string& path, std::string_view text);

/// The file's bytes; nothing if it cannot be opened.
std::optional<std::string> content_of(const std::string& path);

/// Creates the folder and its missing parents.
Result<void> make_folder(const std::string& folder);

}  // namespace ke
