#pragma once
// Kinds of lines of integers and of bool that a kernel may fail to handle and that independent
// draws almost never give: falling, repeated and extreme indices, masks that are full or nearly so.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fitness/content/secret_random.hpp"

namespace ke {

/// Values that the elements of an input may take.
struct IntRules {
  std::int64_t low = 0, high = 2;          ///< [low, high)
  std::vector<std::int64_t> numbers = {};  ///< occur in lines of kind `numbers`; within the range
  std::vector<std::string> avoid = {};     ///< names of kinds that are not drawn
};

/// Names of all kinds, for `avoid`.
const std::vector<std::string>& int_line_kinds();
const std::vector<std::string>& bool_line_kinds();

/// Gives three of four lines of `values` a kind each, as vary_floats does.
void vary_ints(std::span<std::int64_t> values, std::span<const std::int64_t> dims,
               const IntRules& rules, SecretRandom& kinds, SecretRandom& random);

/// Like vary_ints, for values of 0 and 1: lines get a share of ones between none and all, or a
/// pattern.
void vary_bools(std::span<std::int64_t> values, std::span<const std::int64_t> dims,
                const IntRules& rules, SecretRandom& kinds, SecretRandom& random);

}  // namespace ke
