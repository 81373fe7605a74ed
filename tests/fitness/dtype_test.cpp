#include "fitness/dtype.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace ke {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// The compiler's own binary16 is the oracle of ours.
float by_compiler(std::uint16_t bits) {
  _Float16 half;
  std::memcpy(&half, &bits, sizeof half);
  return static_cast<float>(half);
}
std::uint16_t by_compiler(float value) {
  const auto half = static_cast<_Float16>(value);
  std::uint16_t bits;
  std::memcpy(&bits, &half, sizeof bits);
  return bits;
}

TEST(dtype, every_float16_has_the_compilers_value) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float ours = widened(Dtype::float16, half), theirs = by_compiler(half);
    if (std::isnan(theirs)) {
      EXPECT_TRUE(std::isnan(ours)) << bits;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(ours), std::bit_cast<std::uint32_t>(theirs)) << bits;
    }
  }
}

TEST(dtype, floats_become_the_compilers_float16) {
  // Each value, the middle between neighbours, and the floats around both.
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const float low = by_compiler(static_cast<std::uint16_t>(bits));
    const float high = bits == 0x7bff ? 65536 : by_compiler(static_cast<std::uint16_t>(bits + 1));
    for (const float centre : {low, (low + high) / 2}) {
      for (const float value :
           {std::nextafter(centre, -inf), centre, std::nextafter(centre, inf)}) {
        ASSERT_EQ(narrowed(Dtype::float16, value), by_compiler(value)) << value;
        ASSERT_EQ(narrowed(Dtype::float16, -value), by_compiler(-value)) << -value;
      }
    }
  }
  for (const float value : {inf, -inf, 1e38f, 65519.99f, 65520.0f, 1e-45f, 0.0f, -0.0f}) {
    EXPECT_EQ(narrowed(Dtype::float16, value), by_compiler(value)) << value;
  }
}

TEST(dtype, bfloat16_is_the_upper_half_of_a_float) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = widened(Dtype::bfloat16, static_cast<std::uint16_t>(bits));
    ASSERT_EQ(std::bit_cast<std::uint32_t>(value), bits << 16);
    if (!std::isnan(value)) {
      ASSERT_EQ(narrowed(Dtype::bfloat16, value), bits);
    }
  }
}

TEST(dtype, bfloat16_rounds_to_the_nearest_and_to_even) {
  for (std::uint32_t bits = 0; bits < 0x7f7f; ++bits) {
    const auto low = static_cast<std::uint16_t>(bits), high = static_cast<std::uint16_t>(bits + 1);
    const double middle =
        (double{widened(Dtype::bfloat16, low)} + double{widened(Dtype::bfloat16, high)}) / 2;
    const auto exact = static_cast<float>(middle);
    ASSERT_EQ(double{exact}, middle) << bits;
    ASSERT_EQ(narrowed(Dtype::bfloat16, std::nextafter(exact, -inf)), low) << bits;
    ASSERT_EQ(narrowed(Dtype::bfloat16, exact), bits % 2 == 0 ? low : high) << bits;
    ASSERT_EQ(narrowed(Dtype::bfloat16, std::nextafter(exact, inf)), high) << bits;
    ASSERT_EQ(narrowed(Dtype::bfloat16, -exact), 0x8000 | (bits % 2 == 0 ? low : high)) << bits;
  }
}

TEST(dtype, known_bit_patterns) {
  EXPECT_EQ(narrowed(Dtype::float16, 1), 0x3c00);
  EXPECT_EQ(narrowed(Dtype::float16, -2), 0xc000);
  EXPECT_EQ(narrowed(Dtype::float16, 65504), 0x7bff);
  EXPECT_EQ(narrowed(Dtype::float16, 0x1p-14f), 0x0400);
  EXPECT_EQ(narrowed(Dtype::float16, 0x1p-24f), 0x0001);
  EXPECT_EQ(narrowed(Dtype::float16, 1.0f / 3), 0x3555);
  EXPECT_EQ(narrowed(Dtype::float16, nan) & 0x7fff, 0x7e00);
  EXPECT_EQ(narrowed(Dtype::bfloat16, 1), 0x3f80);
  EXPECT_EQ(narrowed(Dtype::bfloat16, 1.0f / 3), 0x3eab);
  EXPECT_EQ(narrowed(Dtype::bfloat16, std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(narrowed(Dtype::bfloat16, nan) & 0x7fff, 0x7fc0);
}

TEST(dtype, formats_are_those_of_their_extreme_values) {
  for (const Dtype dtype : {Dtype::float16, Dtype::bfloat16}) {
    const FloatFormat format = format_of(dtype);
    const bool brain = dtype == Dtype::bfloat16;
    EXPECT_EQ(format.largest, widened(dtype, brain ? 0x7f7f : 0x7bff));
    EXPECT_EQ(format.least_normal, widened(dtype, brain ? 0x0080 : 0x0400));
    EXPECT_EQ(format.least, widened(dtype, 1));
    const std::uint16_t one = narrowed(dtype, 1);
    EXPECT_EQ(format.epsilon, widened(dtype, static_cast<std::uint16_t>(one + 1)) - 1);
  }
  const FloatFormat single = format_of(Dtype::float32);
  EXPECT_EQ(single.largest, std::numeric_limits<float>::max());
  EXPECT_EQ(single.least_normal, std::numeric_limits<float>::min());
  EXPECT_EQ(single.least, std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(single.epsilon, std::numeric_limits<float>::epsilon());
}

TEST(dtype, powers_of_two_and_signs_scale_bit_by_bit) {
  // Of normal numbers the exponent's field alone changes.
  EXPECT_EQ(scaled(Dtype::float16, 0x3555, 4), 0x3d55);
  EXPECT_EQ(scaled(Dtype::float16, 0x3555, -0.5), 0xb155);
  EXPECT_EQ(scaled(Dtype::bfloat16, 0x3eab, 8), 0x402b);
  EXPECT_EQ(scaled(Dtype::float16, 0x0001, 8), 0x0008);
  EXPECT_EQ(scaled(Dtype::float16, 0x7e11, -8), 0x7e11);  // NaN
  EXPECT_EQ(scaled(Dtype::float16, 0x7c00, -8), 0xfc00);
}

}  // namespace
}  // namespace ke
