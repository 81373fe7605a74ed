#pragma once
// Kinds of lines of floats that a kernel may fail to handle and that independent draws almost never
// give. A line is a run of consecutive elements: a row, several rows, or a whole tensor.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fitness/content/secret_random.hpp"

namespace ke {

/// Values that the elements of an input may take.
struct FloatRules {
  double most = 0;             ///< largest magnitude that the classes of the input reach
  int digits = 24;             ///< of the type's mantissa
  std::uint64_t deepest = 24;  ///< lines become at most 2^-deepest times as large as drawn
  bool positive = false;       ///< every element stays above 0
  bool ascending = false;      ///< lines stay ascending
  /// Lines of equal elements are allowed. They cancel in sums of differences, which tolerances
  /// allow for only where a class has them.
  bool equals = false;
  /// Numbers that occur in lines of kind `numbers`: thresholds, elements of other inputs. The rules
  /// above allow each.
  std::vector<double> numbers = {};
  std::vector<std::string> avoid = {};  ///< names of kinds that are not drawn
};

/// Names of all kinds, for `avoid`.
const std::vector<std::string>& float_line_kinds();

/// Gives three of four lines of `values` (row-major, `dims`) a kind each, and now and then scales
/// all of them down, or gives columns a structure. Draws the length of the lines and their kinds
/// from `kinds`, everything else from `random`: inputs with equal `kinds` and shapes get lines that
/// are alike. Costs a few passes over the values.
void vary_floats(std::span<double> values, std::span<const std::int64_t> dims,
                 const FloatRules& rules, SecretRandom& kinds, SecretRandom& random);

}  // namespace ke
