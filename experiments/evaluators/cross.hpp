#pragma once
// The cross kind's part that `doctor` uses by itself.

#include <string>
#include <vector>

namespace ke {

/// A chip of the config folders: whether its programs are here, and what to do where they are not.
struct ChipFinding {
  std::string name;
  bool ok = false;
  std::string detail;
};
std::vector<ChipFinding> probe_chips();

}  // namespace ke
