#include "core/numeric/normal_source.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ke {
namespace {

StreamKey key(std::int64_t step) { return {7, 1, step, 0, Purpose::test}; }

std::vector<double> draw(std::size_t count, std::int64_t step = 0) {
  std::vector<double> values(count);
  NormalSource(key(step)).fill(values);
  return values;
}

// Compares with the exact share below x from the C library, within 4 standard errors.
void expect_share_below(const std::vector<double>& values, double x) {
  const double expected = 0.5 * std::erfc(-x / std::sqrt(2.0));
  double count = 0;
  for (const double value : values) count += value < x ? 1 : 0;
  const double n = static_cast<double>(values.size());
  EXPECT_NEAR(count / n, expected, 4 * std::sqrt(expected * (1 - expected) / n)) << x;
}

TEST(NormalSource, has_the_normal_distribution_in_body_wedges_and_tail) {
  const auto values = draw(4'000'000);
  for (const double x : {-4.2, -3.8, -3.0, -2.0, -1.0, -0.3, 0.0, 0.1, 0.5, 1.5, 2.5, 3.5, 4.0}) {
    expect_share_below(values, x);
  }
}

TEST(NormalSource, has_the_moments_of_a_normal_distribution) {
  const auto values = draw(4'000'000, 1);
  double sums[5] = {};
  for (const double value : values) {
    for (int k = 1; k < 5; ++k) sums[k] += std::pow(value, k) / static_cast<double>(values.size());
  }
  EXPECT_NEAR(sums[1], 0, 2e-3);
  EXPECT_NEAR(sums[2], 1, 3e-3);
  EXPECT_NEAR(sums[3], 0, 8e-3);
  EXPECT_NEAR(sums[4], 3, 2e-2);
}

TEST(NormalSource, neighbours_are_not_correlated) {
  const auto values = draw(1'000'000, 2);
  for (std::size_t lag = 1; lag <= 4; ++lag) {
    double sum = 0;
    for (std::size_t i = lag; i < values.size(); ++i) sum += values[i] * values[i - lag];
    EXPECT_NEAR(sum / static_cast<double>(values.size()), 0, 4e-3) << lag;
  }
}

TEST(NormalSource, depends_on_its_key_alone) {
  EXPECT_EQ(draw(1001), draw(1001));
  EXPECT_NE(draw(100, 0), draw(100, 1));
}

TEST(NormalSource, below_is_uniform) {
  NormalSource source(key(3));
  std::array<int, 7> counts{};
  for (int i = 0; i < 70'000; ++i) ++counts[source.below(7)];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 400);
}

TEST(RandomStreamFill, gives_the_numbers_of_single_draws) {
  for (const std::size_t before : {0u, 1u, 2u, 3u, 4u, 15u, 16u, 17u}) {
    RandomStream bulk(key(4));
    RandomStream single(key(4));
    for (std::size_t i = 0; i < before; ++i) EXPECT_EQ(bulk.bits(), single.bits());
    std::vector<std::uint64_t> values(37);
    bulk.fill(values);
    for (const std::uint64_t value : values) {
      const std::uint64_t high = single.bits();
      EXPECT_EQ(value, high << 32 | single.bits());
    }
    EXPECT_EQ(bulk.bits(), single.bits());
  }
}

}  // namespace
}  // namespace ke
