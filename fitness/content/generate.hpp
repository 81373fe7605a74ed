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

/// Classes of a dtype's inputs.
/// Of floats: normal: N(0, 1); large: N(0, 60^2); huge: N(0, (largest / 8)^2); tiny: N(0, 1e-20^2),
/// of float16 N(0, 2^-20), of float64 N(0, 1e-160^2), one in 16 subnormal; positive: (0, 2];
/// constant: one value; one_hot: one non-zero a row; sorted: rows rise within [-4, 4], those of
/// half types may stay; clustered: the same in a few large steps, with many equal values between
/// them; grid and steps: multiples of 1/4, normal and sorted, so that values of the one meet equals
/// in the other; tiny_sorted: rows rise within the subnormal numbers; nan_inf: normal, in about
/// half of the rows, one of them for sure, with NaN, +inf, -inf. A row is the last dimension.
/// positive_nan_inf: the same of positive, for sums that must not cancel in the rows left alone.
/// overflow, of float16 alone: normal, in about half of the rows with elements of +-[2^15, 65504],
/// which products carry out of the range. Of integers within [range_low, range_high): uniform;
/// zipf: P(v) ~ 1 / (v - low + 1); constant; sequential: low, low + 1, ..., wrapping. Of bool:
/// uniform and constant.
const std::vector<std::string>& classes_of(Dtype dtype);

/// Fills `values` (row-major, rows of `row`) with a class of classes_of(dtype), in values that
/// `dtype` holds exactly; not of float64.
void generate_floats(std::string_view input_class, std::int64_t row, SecretRandom& random,
                     std::span<float> values, Dtype dtype = Dtype::float32);
/// The same of float64.
void generate_doubles(std::string_view input_class, std::int64_t row, SecretRandom& random,
                      std::span<double> values);
/// Fills a tensor of an integer dtype with a class of it within [low, high).
void generate_ints(std::string_view input_class, std::int64_t low, std::int64_t high,
                   SecretRandom& random, Dtype dtype, std::span<std::byte> tensor);

/// Fills an output before a call: finite, new each time. Floats lie in +-[2^-4, 2^4); bytes of bool
/// are seldom 0 or 1.
void poison(Dtype dtype, SecretRandom& random, std::span<std::byte> output);

}  // namespace ke
