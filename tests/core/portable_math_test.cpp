#include "core/portable_math.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/random_stream.hpp"
#include "tests/support/normal.hpp"

namespace ke {
namespace {

double ulps(double got, long double want) {
  const auto near = static_cast<double>(want);
  const double ulp = std::nextafter(std::abs(near), INFINITY) - std::abs(near);
  return static_cast<double>(std::abs(static_cast<long double>(got) - want) / ulp);
}

TEST(PortableMath, log_is_within_2_ulp_of_long_double) {
  RandomStream random({1, 0, 0, 0, Purpose::test});
  for (int i = 0; i < 200000; ++i) {
    const double x =
        i % 2 ? random.uniform() * 4
              : std::ldexp(random.uniform() + 0.5, static_cast<int>(random.below(2000)) - 1000);
    ASSERT_LE(ulps(portable_log(x), std::log(static_cast<long double>(x))), 2) << x;
  }
}

TEST(PortableMath, exp_is_within_2_ulp_of_long_double) {
  RandomStream random({2, 0, 0, 0, Purpose::test});
  for (int i = 0; i < 200000; ++i) {
    const double x = i % 2 ? test::standard_normal(random) : random.uniform() * 1400 - 700;
    ASSERT_LE(ulps(portable_exp(x), std::exp(static_cast<long double>(x))), 2) << x;
  }
}

TEST(PortableMath, special_values) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(portable_log(0), -inf);
  EXPECT_EQ(portable_log(1), 0);
  EXPECT_EQ(portable_log(inf), inf);
  EXPECT_TRUE(std::isnan(portable_log(-1)));
  EXPECT_EQ(portable_exp(0), 1);
  EXPECT_EQ(portable_exp(-inf), 0);
  EXPECT_EQ(portable_exp(inf), inf);
  EXPECT_TRUE(std::isnan(portable_exp(std::nan(""))));
}

TEST(PortableMath, sine_and_cosine_agree_with_the_library) {
  RandomStream random({3, 0, 0, 0, Purpose::test});
  for (int i = 0; i < 100000; ++i) {
    const double x = (random.uniform() - 0.5) * (i % 2 ? 20 : 2e5);
    ASSERT_NEAR(portable_sin(x), std::sin(x), 1e-11) << x;
    ASSERT_NEAR(portable_cos(x), std::cos(x), 1e-11) << x;
  }
}

}  // namespace
}  // namespace ke
