#pragma once
// How far the rounding of a right kernel may move its outputs at a content whose answers cancel.

#include <cstdint>
#include <vector>

#include "fitness/content/content.hpp"

namespace ke {

/// How the room below is measured.
struct RoomRule {
  int draws = 3;  ///< of inputs at the size of a rounding error
  int far_smaller_draws = 2;
  double far_smaller = 0x1p-10;
  double proportional = 32;           ///< a jump does not shrink with the inputs' change
  double of_formula = 2;              ///< another order of the same operations
  std::int64_t least_looked_at = 64;  ///< elements: a few changes may all be small by chance
  double measured = 0x1p-24;          ///< relative change of inputs
  double factor = 1;                  ///< of the largest change
  bool single = true;                 ///< the formula as it is written computes in float32
};
RoomRule room_rule(const Task& task, const Shapes& shapes);

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
