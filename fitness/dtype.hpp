#pragma once
// Types of a tensor's elements, and the bits of those that C++17 has no type for.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ke {

enum class Dtype { float32, int32, float16, bfloat16 };
constexpr Dtype last_value(Dtype) { return Dtype::bfloat16; }

/// Names in task files, in the order of Dtype.
inline constexpr std::array<std::string_view, 4> dtype_names = {"float32", "int32", "float16",
                                                                "bfloat16"};

constexpr std::string_view to_string(Dtype dtype) {
  return dtype_names[static_cast<std::size_t>(dtype)];
}

/// Two bytes: binary16 of IEEE 754, or the upper half of binary32.
constexpr bool is_half(Dtype dtype) { return dtype == Dtype::float16 || dtype == Dtype::bfloat16; }
constexpr bool is_float(Dtype dtype) { return dtype != Dtype::int32; }
constexpr std::size_t bytes_of(Dtype dtype) { return is_half(dtype) ? 2 : 4; }

/// What a floating type can hold.
struct FloatFormat {
  double largest;  ///< finite
  double least_normal;
  double least;    ///< subnormal; also the step between subnormals
  double epsilon;  ///< from 1 to the next value
};
constexpr FloatFormat format_of(Dtype dtype) {
  if (dtype == Dtype::float16) return {65504, 0x1p-14, 0x1p-24, 0x1p-10};
  if (dtype == Dtype::bfloat16) return {0x1.fep127, 0x1p-126, 0x1p-133, 0x1p-7};
  return {0x1.fffffep127, 0x1p-126, 0x1p-149, 0x1p-23};
}

/// The value of two bytes, exactly. `dtype` is a half type, here and below.
float widened(Dtype dtype, std::uint16_t bits);
/// The nearest value, of two equally near ones the even one. NaN stays NaN, quiet.
std::uint16_t narrowed(Dtype dtype, float value);
/// Times a factor under which the product is exact. NaN keeps its bits.
std::uint16_t scaled(Dtype dtype, std::uint16_t bits, float factor);
/// `value` as `dtype` holds it; unchanged for float32.
inline float rounded_to(Dtype dtype, float value) {
  return is_half(dtype) ? widened(dtype, narrowed(dtype, value)) : value;
}

}  // namespace ke
