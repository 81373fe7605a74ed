#pragma once
// Checks whether the axes of a run fit its measurements.

#include <cstdint>
#include <string>
#include <vector>

#include "archive/run_reader.hpp"

namespace ke {

/// Distribution of a run's ok kernels on one axis of its common archive.
struct AxisUse {
  AxisShape shape;
  std::int64_t kernels = 0;  ///< kernels with this measure
  std::int64_t outside = 0;  ///< kernels clipped to a border bin; 0 for categories
  std::int64_t filled = 0;   ///< bins with at least one kernel
  double least = 0;          ///< smallest and largest value seen
  double most = 0;
};

/// In axis order, without axes that are not measures of kernels. One query per axis.
Result<std::vector<AxisUse>> axis_use(const RunReader& reader);

/// One sentence per axis that separates kernels badly: half or more lie outside it, or all are in
/// one bin. Nothing for runs with few kernels.
std::vector<std::string> axis_warnings(const std::vector<AxisUse>& uses);

}  // namespace ke
