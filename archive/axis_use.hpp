#pragma once
// Whether the axes of a run fit what it measured.

#include <cstdint>
#include <string>
#include <vector>

#include "archive/run_reader.hpp"

namespace ke {

/// How the ok kernels of a run lie on one axis of its common archive.
struct AxisUse {
  AxisShape shape;
  std::int64_t kernels = 0;  ///< with this measure
  std::int64_t outside = 0;  ///< of them clipped into a border bin; 0 for categories
  std::int64_t filled = 0;   ///< bins that hold any
  double least = 0;          ///< value seen
  double most = 0;
};

/// In the order of the axes; axes that are no measure of kernels are left out. One query an axis.
Result<std::vector<AxisUse>> axis_use(const RunReader& reader);

/// A sentence for each axis that tells kernels apart badly: half of them or more lie outside it, or
/// all are in one bin. Runs with few kernels say nothing.
std::vector<std::string> axis_warnings(const std::vector<AxisUse>& uses);

}  // namespace ke
