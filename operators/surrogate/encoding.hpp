#pragma once
// What a model sees of a kernel: knobs and flags as numbers.

#include <string>
#include <vector>

#include "core/knob_space.hpp"

namespace ke {

/// Encodes kernels of one space as rows of numbers:
///   integer and boolean knobs   the place of the value in its list
///   enumerations, flag genes    one indicator a value (one number when there are two)
///   pairs of integer knobs      log2 a + log2 b, when both have more than two values, all above 0:
///                               block and tile sizes act through their products
/// Knobs with a single value are left out.
class Encoding {
 public:
  explicit Encoding(const KernelSpace& space);

  /// Numbers a row.
  std::size_t width() const { return width_; }
  /// Appends the row of a kernel that the space admits.
  void append(const Kernel& kernel, std::vector<double>& rows) const;

 private:
  const KernelSpace& space_;
  std::vector<std::vector<double>> log2_;  ///< per knob and value; empty = takes no part in pairs
  std::size_t width_ = 0;
};

}  // namespace ke
