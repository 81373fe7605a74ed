#pragma once
// Part of the cross kind that `doctor` uses directly.

#include <string>
#include <vector>

namespace ke {

/// A chip of the config folders: whether its programs are installed, and what to do if not.
struct ChipFinding {
  std::string name;
  bool ok = false;
  std::string detail;
};
std::vector<ChipFinding> probe_chips();

}  // namespace ke
