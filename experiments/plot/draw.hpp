#pragma once
// Starts the Python program that draws.

#include <string>
#include <vector>

#include "core/result.hpp"

namespace ke {

/// What drawings can be written as.
const std::vector<std::string>& drawing_formats();

/// Draws the figures of a manifest beside it, each in all formats. Error (Failure::usage) naming
/// the package when there is no matplotlib; the tables stay.
Result<void> draw_figures(const std::string& manifest, const std::vector<std::string>& formats);

}  // namespace ke
