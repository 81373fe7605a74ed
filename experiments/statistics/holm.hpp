#pragma once
// Family-wise error control over several comparisons.

#include <span>
#include <vector>

namespace ke::statistics {

/// Holm's step-down adjustment [Holm1979]: rejecting where the adjusted value is at most alpha
/// keeps the chance of any false rejection at alpha. The results stand in the order of the
/// arguments.
std::vector<double> holm_adjusted(std::span<const double> p_values);

}  // namespace ke::statistics
