#pragma once
// Rows that a kernel may have been tuned away from: drawn alike, no row is all zero or another's
// twin.

#include <cstddef>
#include <span>
#include <string>

#include "fitness/content/secret_random.hpp"

namespace ke {

struct SpecialRows {
  std::size_t length = 1;  // elements of a row, which divide the number of values
  /// Equal elements cancel out in ways that tolerances allow for only where a class has them.
  bool equals = false;
  std::span<const double> elsewhere = {};  // a few values of other inputs; may be empty
};

/// Makes one row of `values` special, or all of them small; says how. Keeps away from overflow and
/// from what only some right algorithms bear: those that mix rows (Winograd, Strassen) meet no row
/// 64 times smaller than others.
std::string make_special(std::span<double> values, const SpecialRows& rows, SecretRandom& random);

}  // namespace ke
