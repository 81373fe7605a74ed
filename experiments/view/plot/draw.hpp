#pragma once
// Starts the Python program that draws figures.

#include <string>
#include <vector>

#include "core/result.hpp"

namespace ke {

/// Formats of drawings.
const std::vector<std::string>& drawing_formats();

/// Draws the figures of a manifest into its folder, each in all formats. Without matplotlib,
/// returns an error (Failure::usage) that names the package and keeps the tables.
Result<void> draw_figures(const std::string& manifest, const std::vector<std::string>& formats);

}  // namespace ke
