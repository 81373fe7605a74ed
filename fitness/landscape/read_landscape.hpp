#pragma once
// Reads landscapes: the T4 format of the auto-tuning methodology and Kernel Tuner's cache files.

#include <memory>
#include <string>

#include "core/result.hpp"
#include "fitness/landscape/landscape.hpp"

namespace ke {

/// Reads a file of either format, plain or gzip; its keys determine the format. Leaves out
/// configurations that broke a restriction (invalidity `constraints`, InvalidConfig). Errors are
/// one line each, with file and place. O(file).
Result<std::shared_ptr<const Landscape>> read_landscape(const std::string& path);

/// A landscape's name: its folder and its file name without the format's endings, such as
/// `convolution_milo/A100`. Omits a folder `landscapes`.
std::string landscape_name(const std::string& path);

}  // namespace ke
