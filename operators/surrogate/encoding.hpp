#pragma once
// Encodes a kernel's knobs and flags as numbers for a model.

#include <vector>

#include "core/knob_space.hpp"

namespace ke {

/// Encodes kernels of one space as rows of numbers:
///   integer and boolean knobs   the value's position in its list
///   enumerations, flag genes    one indicator per value (one number when there are two)
///   pairs of integer knobs      log2 a + log2 b, if both have more than two values, all above 0:
///                               block and tile sizes act through their products
/// Omits knobs with a single value.
class Encoding {
 public:
  explicit Encoding(const KernelSpace& space);

  /// Numbers per row.
  std::size_t width() const { return width_; }
  /// Appends the row of a kernel that the space admits.
  void append(const Kernel& kernel, std::vector<double>& rows) const;

 private:
  const KernelSpace& space_;
  std::vector<std::vector<double>> log2_;  ///< per knob and value; empty = not used in pairs
  std::size_t width_ = 0;
};

}  // namespace ke
