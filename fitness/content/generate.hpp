#pragma once
// Generates inputs by class.

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

/// Puts marks of an integer input into no elements, some, half of them, or the ends of rows (of
/// `row` elements).
void put_marks(const TensorSpec& spec, std::size_t row, SecretRandom& random,
               std::span<std::byte> tensor);

/// The input classes of a dtype. A row is the last dimension.
/// Floats: normal: N(0, 1); wide: N(0, 8^2); large: N(0, 60^2); huge: N(0, (largest / 8)^2); tiny:
/// N(0, 1e-20^2), for float16 N(0, 2^-20), for float64 N(0, 1e-160^2), one in 16 subnormal;
/// positive: (0, 2]; constant: one value; one_hot: one non-zero per row; sorted: rows rise within
/// [-4, 4], with repeats in half types; clustered: sorted, in a few large steps with many equal
/// values between them; grid and steps: normal and sorted, rounded to multiples of 1/4, so that
/// values of one input occur in the other; tiny_sorted: rows rise within the subnormal numbers;
/// nan_inf: normal, with NaN of either sign, +inf, -inf, alone or in runs, in about half of the
/// rows, at least one, and runs of -1e4, -1e9 or -1e10 in some others; positive_nan_inf: the same
/// with positive values, so that sums of the other rows do not cancel; overflow (float16 only):
/// normal, with elements of +-[2^15, 65504] in about half of the rows, whose products exceed the
/// range; shifted: N(m, 1) with |m| in [256, 512] (float16: [7, 15]; float64: up to 2^20), at most
/// 2^22 / elements; vast: N(0, s^2), s up to the fourth root of the type's largest number; masked:
/// 0 and -inf, in rows as those of bool. Integers in [range_low, range_high): uniform; zipf: P(v) ~
/// 1 / (v - low + 1); constant; sequential: low, low + 1, ..., wrapping. bool: uniform and
/// constant.
const std::vector<std::string>& classes_of(Dtype dtype);
/// The kinds of lines (float_lines.hpp, int_lines.hpp) of inputs of a dtype.
const std::vector<std::string>& line_kinds_of(Dtype dtype);

/// The largest magnitude that a class reaches but for the tails of a normal, before an input's
/// scale.
double largest_of(std::string_view input_class, Dtype dtype);

/// 0 to range - 1, where P(v) falls as 1 / (v + 1).
std::uint64_t zipf(std::uint64_t range, SecretRandom& random);

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

}  // namespace ke
