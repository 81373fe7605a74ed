#pragma once
// Finds and reads the landscapes of a command line.

#include <memory>
#include <string>
#include <vector>

#include "fitness/landscape/landscape.hpp"

namespace ke {

struct LandscapeFile {
  std::string file;
  std::shared_ptr<const Landscape> landscape;
};

/// Reads landscapes given by file, by folder (all *.json and *.json.gz below it) or by the name of
/// a shipped one. Keeps the first of several landscapes with one name. Reports all errors at once.
Result<std::vector<LandscapeFile>> read_landscapes(const std::vector<std::string>& words);

}  // namespace ke
