#include "fitness/dtype.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace ke {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Value of the bits by IEEE 754: sign, biased exponent, fraction.
double by_definition(Dtype dtype, std::uint32_t bits) {
  const int places = dtype == Dtype::float16 ? 10 : 7;
  const int all_ones = dtype == Dtype::float16 ? 31 : 255, bias = all_ones / 2;
  const int exponent = static_cast<int>(bits >> places) & all_ones;
  const double fraction = std::ldexp(bits & ((1u << places) - 1), -places);
  const double sign = bits >> 15 != 0 ? -1 : 1;
  if (exponent == all_ones) return fraction == 0 ? sign * inf : nan;
  return sign * (exponent == 0 ? std::ldexp(fraction, 1 - bias)
                               : std::ldexp(1 + fraction, exponent - bias));
}

TEST(DtypeTable, names_sizes_and_limits_agree_with_the_types) {
  for (std::size_t i = 0; i < dtype_table.size(); ++i) {
    const auto dtype = static_cast<Dtype>(i);
    EXPECT_EQ(dtype_named(to_string(dtype)), dtype);
    if (is_float(dtype)) continue;
    with_int_type(dtype, [&]<typename T>(T) {
      EXPECT_EQ(bytes_of(dtype), sizeof(T));
      if (dtype == Dtype::boolean) return;
      EXPECT_EQ(row_of(dtype).least, std::int64_t{std::numeric_limits<T>::min()});
      EXPECT_EQ(row_of(dtype).most, std::int64_t{std::numeric_limits<T>::max()});
    });
    std::byte memory[16] = {};
    for (const std::int64_t value : {row_of(dtype).least, row_of(dtype).most}) {
      put_int(dtype, memory, 1, value);
      EXPECT_EQ(int_at(dtype, memory, 1), value) << to_string(dtype);
    }
    EXPECT_EQ(int_at(dtype, memory, 0), 0);
  }
  EXPECT_EQ(dtype_named("float8"), std::nullopt);
  const FloatFormat format = format_of(Dtype::float64);
  EXPECT_EQ(format.largest, std::numeric_limits<double>::max());
  EXPECT_EQ(format.least_normal, std::numeric_limits<double>::min());
  EXPECT_EQ(format.least, std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(format.epsilon, std::numeric_limits<double>::epsilon());
}

class HalfType : public testing::TestWithParam<Dtype> {};
INSTANTIATE_TEST_SUITE_P(dtype, HalfType, testing::Values(Dtype::float16, Dtype::bfloat16),
                         [](const auto& one) { return std::string(to_string(one.param)); });

TEST_P(HalfType, all_bits_have_the_value_of_the_definition_and_return) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = widened(GetParam(), static_cast<std::uint16_t>(bits));
    const double wanted = by_definition(GetParam(), bits);
    ASSERT_EQ(std::isnan(value), std::isnan(wanted)) << bits;
    if (std::isnan(wanted)) continue;
    ASSERT_EQ(double{value}, wanted) << bits;
    ASSERT_EQ(std::signbit(value), bits >> 15 != 0) << bits;
    ASSERT_EQ(narrowed(GetParam(), value), bits);
  }
}

TEST_P(HalfType, floats_round_to_the_nearest_and_in_the_middle_to_even) {
  const std::uint32_t infinite = GetParam() == Dtype::float16 ? 0x7c00 : 0x7f80;
  for (std::uint32_t bits = 0; bits + 1 < infinite; ++bits) {
    const auto low = static_cast<std::uint16_t>(bits), high = static_cast<std::uint16_t>(bits + 1);
    const double middle = (by_definition(GetParam(), low) + by_definition(GetParam(), high)) / 2;
    const auto exact = static_cast<float>(middle);
    const std::uint16_t even = bits % 2 == 0 ? low : high;
    ASSERT_EQ(double{exact}, middle) << bits;
    ASSERT_EQ(narrowed(GetParam(), std::nextafter(exact, -inf)), low) << bits;
    ASSERT_EQ(narrowed(GetParam(), exact), even) << bits;
    ASSERT_EQ(narrowed(GetParam(), std::nextafter(exact, inf)), high) << bits;
    ASSERT_EQ(narrowed(GetParam(), -exact), 0x8000 | even) << bits;
  }
}

TEST(dtype, what_rounds_beyond_the_largest_number_is_infinite) {
  EXPECT_EQ(narrowed(Dtype::float16, std::nextafter(65520.0f, 0.0f)), 0x7bff);
  for (const float value : {65520.0f, 65536.0f, 1e38f, inf}) {
    EXPECT_EQ(narrowed(Dtype::float16, value), 0x7c00) << value;
    EXPECT_EQ(narrowed(Dtype::float16, -value), 0xfc00) << -value;
  }
  EXPECT_EQ(narrowed(Dtype::bfloat16, std::nextafter(0x1.ffp127f, 0.0f)), 0x7f7f);
  EXPECT_EQ(narrowed(Dtype::bfloat16, 0x1.ffp127f), 0x7f80);
}

#if defined(__FLT16_MAX__)
TEST(dtype, float16_is_the_compilers) {
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const auto theirs = std::bit_cast<_Float16>(half);
    ASSERT_EQ(widened(Dtype::float16, half), static_cast<float>(theirs)) << bits;
    const float between = static_cast<float>(theirs) * 1.0003f;
    ASSERT_EQ(narrowed(Dtype::float16, between),
              std::bit_cast<std::uint16_t>(static_cast<_Float16>(between)))
        << between;
  }
}
#endif

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
  // Scaling a normal number changes only its exponent field.
  EXPECT_EQ(scaled(Dtype::float16, 0x3555, 4), 0x3d55);
  EXPECT_EQ(scaled(Dtype::float16, 0x3555, -0.5), 0xb155);
  EXPECT_EQ(scaled(Dtype::bfloat16, 0x3eab, 8), 0x402b);
  EXPECT_EQ(scaled(Dtype::float16, 0x0001, 8), 0x0008);
  EXPECT_EQ(scaled(Dtype::float16, 0x7e11, -8), 0x7e11);  // NaN
  EXPECT_EQ(scaled(Dtype::float16, 0x7c00, -8), 0xfc00);
}

}  // namespace
}  // namespace ke
