#pragma once
// Values of tensor elements: limits of the floating-point types, bit conversions for the half types
// that C++ lacks, and integers of any width.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/dtype_table.hpp"

namespace ke {

/// Limits of a floating-point type.
struct FloatFormat {
  double largest;  ///< finite
  double least_normal;
  double least;    ///< subnormal; also the step between subnormals
  double epsilon;  ///< from 1 to the next value
};
constexpr FloatFormat format_of(Dtype dtype) {
  if (dtype == Dtype::float16) return {65504, 0x1p-14, 0x1p-24, 0x1p-10};
  if (dtype == Dtype::bfloat16) return {0x1.fep127, 0x1p-126, 0x1p-133, 0x1p-7};
  if (dtype == Dtype::float64) return {0x1.fffffffffffffp1023, 0x1p-1022, 0x1p-1074, 0x1p-52};
  return {0x1.fffffep127, 0x1p-126, 0x1p-149, 0x1p-23};
}

/// The exact value of two bytes. `dtype` is a half type here and in the next two functions.
float widened(Dtype dtype, std::uint16_t bits);
/// Rounds to nearest even. NaN stays NaN, quiet.
std::uint16_t narrowed(Dtype dtype, float value);
/// Multiplies by a factor for which the product is exact. NaN keeps its bits.
std::uint16_t scaled(Dtype dtype, std::uint16_t bits, float factor);
/// `value` rounded to `dtype`; unchanged for float32.
inline float rounded_to(Dtype dtype, float value) {
  return is_half(dtype) ? widened(dtype, narrowed(dtype, value)) : value;
}

/// Calls `visit` with a zero of the C++ type that holds elements of an integer dtype. bool uses a
/// byte, because memory may contain values other than 0 and 1.
template <typename Visit>
auto with_int_type(Dtype dtype, Visit visit) {
  switch (dtype) {
    case Dtype::int64: return visit(std::int64_t{});
    case Dtype::int8: return visit(std::int8_t{});
    case Dtype::uint8:
    case Dtype::boolean: return visit(std::uint8_t{});
    default: return visit(std::int32_t{});
  }
}
/// Reads and writes element `at` of a tensor of an integer dtype.
std::int64_t int_at(Dtype dtype, const std::byte* tensor, std::size_t at);
void put_int(Dtype dtype, std::byte* tensor, std::size_t at, std::int64_t value);

}  // namespace ke
