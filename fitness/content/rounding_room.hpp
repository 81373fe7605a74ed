#pragma once
// How far the rounding of a right kernel may move its outputs at a content whose answers cancel.

#include <vector>

#include "fitness/content/content.hpp"

namespace ke {

/// Per output and row of it, the error that single-precision arithmetic may cause beyond the task's
/// tolerance, measured by asking the oracle again with inputs that differ by a rounding error:
/// r sqrt(n), where r is the largest change in the row and n the elements of the largest input,
/// since a sum in order adds up as many roundings. 0 for integers, and where an output jumps, as it
/// does where an input is compared with a threshold: right kernels meet that exactly. At least
/// twice the error of the formula itself in single precision, where the oracle can compute in it: 1
/// + erf(x) is 0 in single precision long before it is in double. Empty when there is no oracle to
/// ask. The first time costs six calls of the oracle.
const std::vector<std::vector<double>>& rounding_room(const Content& content);

}  // namespace ke
