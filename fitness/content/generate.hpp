#pragma once
// Generates inputs by class, and the poison that fills outputs before a call.

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

/// Replaces subnormal values by zero where the task lets kernels flush them, because a kernel that
/// flushes and one that does not could differ by more than the tolerance. Leaves float16 unchanged,
/// which processors do not flush.
void leave_out_subnormals(const Task& task, Dtype dtype, std::span<double> values);

/// Draws an input from one of its classes, multiplied by its scale; returns its bytes.
std::vector<std::byte> draw_input(const Task& task, const Shapes& shapes, std::size_t input,
                                  const std::string& input_class, SecretRandom& random);

/// The input classes of a dtype. A row is the last dimension.
/// Floats: normal: N(0, 1); large: N(0, 60^2); huge: N(0, (largest / 8)^2); tiny: N(0, 1e-20^2),
/// for float16 N(0, 2^-20), for float64 N(0, 1e-160^2), one in 16 subnormal; positive: (0, 2];
/// constant: one value; one_hot: one non-zero per row; sorted: rows rise within [-4, 4], with
/// repeats in half types; clustered: sorted, in a few large steps with many equal values between
/// them; grid and steps: normal and sorted, rounded to multiples of 1/4, so that values of one
/// input occur in the other; tiny_sorted: rows rise within the subnormal numbers; nan_inf: normal,
/// with NaN, +inf, -inf in about half of the rows, at least one; positive_nan_inf: the same with
/// positive values, so that sums of the other rows do not cancel; overflow (float16 only): normal,
/// with elements of +-[2^15, 65504] in about half of the rows, whose products exceed the range.
/// Integers in [range_low, range_high): uniform; zipf: P(v) ~ 1 / (v - low + 1); constant;
/// sequential: low, low + 1, ..., wrapping. bool: uniform and constant.
const std::vector<std::string>& classes_of(Dtype dtype);

/// Fills `values` (row-major, rows of `row`) with a class of classes_of(dtype), in values that
/// `dtype` holds exactly. Not for float64.
void generate_floats(std::string_view input_class, std::int64_t row, SecretRandom& random,
                     std::span<float> values, Dtype dtype = Dtype::float32);
/// Like generate_floats, for float64.
void generate_doubles(std::string_view input_class, std::int64_t row, SecretRandom& random,
                      std::span<double> values);
/// Fills a tensor of an integer dtype with one of its classes, within [low, high).
void generate_ints(std::string_view input_class, std::int64_t low, std::int64_t high,
                   SecretRandom& random, Dtype dtype, std::span<std::byte> tensor);

/// Fills an output before a call with finite values, new each time. Floats lie in +-[2^-4, 2^4);
/// bytes of bool are seldom 0 or 1.
void poison(Dtype dtype, SecretRandom& random, std::span<std::byte> output);

}  // namespace ke
