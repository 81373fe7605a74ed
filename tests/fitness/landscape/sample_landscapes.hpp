#pragma once
// Landscapes for tests: two small hand-made files, and the recorded ones if present.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "fitness/landscape/landscape.hpp"

namespace ke {

inline std::string golden_landscape(const std::string& name) {
  return std::string(KE_SOURCE_DIR) + "/tests/golden/landscapes/" + name;
}

/// Folder of the recorded reference landscapes (environment variable KE_LANDSCAPES); "" if unset,
/// and then the test says so and skips.
inline std::string reference_landscapes() {
  const char* folder = std::getenv("KE_LANDSCAPES");
  return folder != nullptr && std::filesystem::is_directory(folder) ? folder : "";
}

}  // namespace ke

#define KE_SKIP_WITHOUT_LANDSCAPES()                                                 \
  if (::ke::reference_landscapes().empty())                                          \
  GTEST_SKIP() << "KE_LANDSCAPES names no folder: the reference landscapes are not " \
                  "part of this tree"
