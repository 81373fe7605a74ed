#pragma once
// Family-wise error control over several comparisons.

#include <span>
#include <vector>

namespace ke::statistics {

/// Holm's step-down adjustment [Holm1979]: rejecting if the adjusted value is at most alpha limits
/// the chance of any false rejection to alpha. Results are in the order of the arguments.
std::vector<double> holm_adjusted(std::span<const double> p_values);

}  // namespace ke::statistics
