#pragma once
// Quartiles of a sample.

#include <array>
#include <vector>

namespace ke::statistics {

using Quartiles = std::array<double, 3>;  ///< lower quartile, median, upper quartile

/// Interpolates linearly between neighbours. Needs one value. O(n log n).
Quartiles quartiles_of(std::vector<double> values);

}  // namespace ke::statistics
