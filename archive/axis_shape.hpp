#pragma once
// One axis of an archive, for readers and plots.

#include <string>
#include <vector>

namespace ke {

struct AxisShape {
  std::string measure;
  std::string unit;
  std::vector<std::string> bins;  ///< label of each bin, in order
};

}  // namespace ke
