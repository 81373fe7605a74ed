#pragma once
// Landscapes for tests: two small files made by hand, and the recorded ones when they are there.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "fitness/landscape/read_landscape.hpp"

namespace ke {

inline std::string golden_landscape(const std::string& name) {
  return std::string(KE_SOURCE_DIR) + "/tests/golden/landscapes/" + name;
}

/// Folder of the recorded reference landscapes (environment variable KE_LANDSCAPES); "" when there
/// is none, and then the test says so and is skipped.
inline std::string reference_landscapes() {
  const char* folder = std::getenv("KE_LANDSCAPES");
  return folder != nullptr && std::filesystem::is_directory(folder) ? folder : "";
}

}  // namespace ke

#define KE_SKIP_WITHOUT_LANDSCAPES()                                                 \
  if (::ke::reference_landscapes().empty())                                          \
  GTEST_SKIP() << "KE_LANDSCAPES names no folder: the reference landscapes are not " \
                  "part of this tree"
