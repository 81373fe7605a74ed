// Checks the accuracy promised by configs/tasks/include/vector_math.hpp against the C library's
// long double.
#include "configs/tasks/include/vector_math.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();

float from_bits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Distance in units in the last place of a float near `exact`.
double ulps(float got, long double exact) {
  int exponent;
  std::frexp(exact, &exponent);
  const int last = std::max(exponent - 24, -149);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - exact) /
                             std::ldexp(1.0L, last));
}

template <int W, class Function>
[[gnu::noinline]] float lane(Function function, float x, int at) {
  vm::f32<W> v = vm::splat<W>(1.0f);
  v[at] = x;
  function(v);
  return v[at];
}

template <int W>
void expect_exp_accurate() {
  double worst = 0;
  const auto look_at = [&](float x, std::uint64_t at) {
    const float got =
        lane<W>([](vm::f32<W>& v) { v = vm::exp<W>(v); }, x, static_cast<int>(at % W));
    worst = std::max(worst, ulps(got, std::exp(static_cast<long double>(x))));
  };
  for (std::uint64_t bits = 0; bits < (1ull << 32);
       bits += 40961) {  // prime stride: all exponents, both signs
    const float x = from_bits(static_cast<std::uint32_t>(bits));
    if (std::isfinite(x) && x <= 88.7f && x >= -103.9f) look_at(x, bits);
  }
  for (std::uint64_t i = 0; i <= 200000; ++i) {
    look_at(-103.9f + 192.6f * static_cast<float>(i) / 200000.0f, i);
  }
  EXPECT_LE(worst, 2.0) << "width " << W;
}

template <int W>
void expect_log_accurate() {
  double worst = 0;
  const auto look_at = [&](std::uint32_t bits) {
    const float x = from_bits(bits);
    const float got =
        lane<W>([](vm::f32<W>& v) { v = vm::log<W>(v); }, x, static_cast<int>(bits % W));
    worst = std::max(worst, ulps(got, std::log(static_cast<long double>(x))));
  };
  for (std::uint32_t bits = 1; bits < 0x7f800000u; bits += 9973) look_at(bits);
  // Both sides of 1: cancellation.
  for (std::uint32_t bits = 0x3f000000u; bits < 0x40000000u; bits += 97) look_at(bits);
  EXPECT_LE(worst, 2.0) << "width " << W;
}

TEST(VectorMath, exp_is_within_two_ulp_at_every_width) {
  expect_exp_accurate<1>();
  expect_exp_accurate<4>();
  expect_exp_accurate<8>();
  expect_exp_accurate<16>();
}

TEST(VectorMath, exp_keeps_nan_and_meets_its_limits) {
  const auto e = [](float x) { return lane<8>([](vm::f32<8>& v) { v = vm::exp<8>(v); }, x, 3); };
  EXPECT_TRUE(std::isnan(e(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_EQ(e(infinite), infinite);
  EXPECT_EQ(e(3e38f), infinite);
  EXPECT_EQ(e(88.73f), infinite);
  EXPECT_EQ(e(-infinite), 0.0f);
  EXPECT_EQ(e(-104.5f), 0.0f);
  EXPECT_EQ(e(-3e38f), 0.0f);
  EXPECT_EQ(e(0.0f), 1.0f);
  EXPECT_EQ(e(-0.0f), 1.0f);
}

TEST(VectorMath, exp_flush_is_within_two_ulp_and_zero_below_the_normal_range) {
  const auto e = [](float x) {
    return lane<16>([](vm::f32<16>& v) { v = vm::exp_flush<16>(v); }, x, 9);
  };
  double worst = 0;
  for (int i = 0; i <= 400000; ++i) {
    const float x = -87.3365f + 175.3f * static_cast<float>(i) / 400000.0f;
    worst = std::max(worst, ulps(e(x), std::exp(static_cast<long double>(x))));
  }
  EXPECT_LE(worst, 2.0);
  EXPECT_EQ(e(-87.34f), 0.0f);
  EXPECT_EQ(e(-infinite), 0.0f);
  EXPECT_TRUE(std::isnan(e(std::numeric_limits<float>::quiet_NaN())));
}

template <int Degree>
double worst_relative_exp2() {
  double worst = 0;
  for (int i = 0; i <= 400000; ++i) {
    const float t = -125.9f + 252.8f * static_cast<float>(i) / 400000.0f;
    const float got = lane<8>([](vm::f32<8>& v) { v = vm::exp2_flush<8, Degree>(v); }, t, i % 8);
    const long double exact = std::exp2(static_cast<long double>(t));
    worst = std::max(worst, static_cast<double>(std::fabs(got / exact - 1)));
  }
  return worst;
}

TEST(VectorMath, exp2_flush_has_the_accuracy_of_its_degree) {
  EXPECT_LE(worst_relative_exp2<6>(), 1.2e-7 * 1.5);
  EXPECT_LE(worst_relative_exp2<5>(), 6e-7);
  EXPECT_LE(worst_relative_exp2<4>(), 4e-6);
  EXPECT_GT(worst_relative_exp2<4>(), 1e-6) << "degree 4 should be worse than degree 5";
}

TEST(VectorMath, exp2_flush_keeps_every_nan_and_is_zero_far_below) {
  const auto e = [](float t) {
    return lane<16>([](vm::f32<16>& v) { v = vm::exp2_flush<16>(v); }, t, 5);
  };
  EXPECT_EQ(e(-infinite), 0.0f);
  EXPECT_EQ(e(-127.0f), 0.0f);
  EXPECT_EQ(e(-3e38f), 0.0f);
  EXPECT_EQ(e(0.0f), 1.0f);
  EXPECT_EQ(e(10.0f), 1024.0f);
  for (const std::uint32_t bits : {0x7fc00000u, 0xffc00000u, 0x7fc00001u, 0x7fffffffu, 0xffc00123u})
    EXPECT_TRUE(std::isnan(e(from_bits(bits)))) << std::hex << bits;
}

TEST(VectorMath, log_is_within_two_ulp_at_every_width) {
  expect_log_accurate<1>();
  expect_log_accurate<4>();
  expect_log_accurate<8>();
  expect_log_accurate<16>();
}

TEST(VectorMath, log_meets_its_limits) {
  const auto l = [](float x) { return lane<4>([](vm::f32<4>& v) { v = vm::log<4>(v); }, x, 2); };
  EXPECT_EQ(l(0.0f), -infinite);
  EXPECT_EQ(l(-0.0f), -infinite);
  EXPECT_EQ(l(1.0f), 0.0f);
  EXPECT_EQ(l(infinite), infinite);
  EXPECT_TRUE(std::isnan(l(-1.0f)));
  EXPECT_TRUE(std::isnan(l(-infinite)));
  EXPECT_TRUE(std::isnan(l(std::numeric_limits<float>::quiet_NaN())));
}

TEST(VectorMath, reductions_over_lanes_agree_with_scalars) {
  float values[16];
  for (int i = 0; i < 16; ++i) values[i] = static_cast<float>((i * 7) % 16);
  EXPECT_EQ(vm::sum<16>(vm::load<16>(values)), 120.0f);
  EXPECT_EQ(vm::largest<16>(vm::load<16>(values)), 15.0f);
  EXPECT_EQ(vm::sum<4>(vm::load<4>(values)), 0.0f + 7.0f + 14.0f + 5.0f);
  EXPECT_EQ(vm::largest<2>(vm::load_part<2>(values, 1, -1.0f)), 0.0f);
}

}  // namespace
