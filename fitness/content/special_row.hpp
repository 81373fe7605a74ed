#pragma once
// Rows that a kernel may fail to handle: random draws alone never give a row of zeros or two nearly
// equal rows.

#include <cstddef>
#include <span>
#include <string>

#include "fitness/content/secret_random.hpp"

namespace ke {

struct SpecialRows {
  std::size_t length = 1;  // elements of a row; divides the number of values
  /// Allows rows of equal elements: they cancel, which tolerances allow for only where a class has
  /// them.
  bool equals = false;
  std::span<const double> elsewhere = {};  // a few values of other inputs; may be empty
};

/// Makes one row of `values` special, or all of them small; returns a description. Avoids overflow
/// and inputs that only some correct algorithms handle: a row is at most 64 times smaller than the
/// others, for algorithms that mix rows (Winograd, Strassen).
std::string make_special(std::span<double> values, const SpecialRows& rows, SecretRandom& random);

}  // namespace ke
