#pragma once
// Inputs by class, and the poison that outputs hold before a call.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fitness/content/secret_random.hpp"
#include "fitness/content/shapes.hpp"
#include "fitness/task.hpp"

namespace ke {

/// Classes of float32 inputs.
/// normal: N(0, 1); large: N(0, 60^2); tiny: N(0, 1e-20^2), one in 16 subnormal; positive: (0, 2];
/// constant: one value; one_hot: one non-zero a row; sorted: rows rise within [-4, 4];
/// clustered: the same in a few large steps, with many equal values between them;
/// nan_inf: normal, in about half of the rows, one of them for sure, with NaN, +inf, -inf. A row is
/// the last dimension.
/// positive_nan_inf: the same of positive, for sums that must not cancel in the rows left alone.
const std::vector<std::string>& float_classes();
/// Classes of int32 inputs within [range_low, range_high): uniform; zipf: P(v) ~ 1 / (v - low + 1);
/// constant; sequential: low, low + 1, ..., wrapping.
const std::vector<std::string>& int_classes();

/// Fills `values` (row-major, rows of `row`) with a class of float_classes().
void generate_floats(std::string_view input_class, std::int64_t row, SecretRandom& random,
                     std::span<float> values);
/// Fills `values` with a class of int_classes() within [low, high).
void generate_ints(std::string_view input_class, std::int64_t low, std::int64_t high,
                   SecretRandom& random, std::span<std::int32_t> values);

/// Fills an output before a call: finite, plausible, new each time. Floats lie in +-[2^-4, 2^4).
void poison(Dtype dtype, SecretRandom& random, std::span<std::byte> output);

}  // namespace ke
