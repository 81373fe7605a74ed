#include "core/random_stream.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace ke {
namespace {

// Known-answer vector published by Random123 for philox4x32-10: counter and key all zero.
TEST(RandomStream, is_philox_4x32_10) {
  RandomStream stream({0, 0, 0, 0, Purpose::ask});
  EXPECT_EQ(stream.bits(), 0x6627e8d5u);
  EXPECT_EQ(stream.bits(), 0xe169c58du);
  EXPECT_EQ(stream.bits(), 0xbc57ac4cu);
  EXPECT_EQ(stream.bits(), 0x9b00dbd8u);
}

TEST(RandomStream, differs_in_every_part_of_its_key) {
  const StreamKey base{7, 1, 2, 3, Purpose::vary};
  std::set<std::uint32_t> first;
  for (StreamKey key :
       {base, StreamKey{8, 1, 2, 3, Purpose::vary}, StreamKey{7, 2, 2, 3, Purpose::vary},
        StreamKey{7, 1, 3, 3, Purpose::vary}, StreamKey{7, 1, 2, 4, Purpose::vary},
        StreamKey{7, 1, 2, 3, Purpose::ask}}) {
    first.insert(RandomStream(key).bits());
  }
  EXPECT_EQ(first.size(), 6u);
}

TEST(RandomStream, below_is_uniform_by_chi_square) {
  RandomStream stream({1, 0, 0, 0, Purpose::test});
  constexpr int cells = 7;
  constexpr int draws = 70000;
  int counts[cells] = {};
  for (int i = 0; i < draws; ++i) ++counts[stream.below(cells)];
  double chi_square = 0;
  for (const int count : counts) chi_square += std::pow(count - draws / cells, 2) / (draws / cells);
  EXPECT_LT(chi_square, 22.46);  // 99.9 % quantile, 6 degrees of freedom
}

TEST(RandomStream, weighted_never_draws_a_zero_weight) {
  RandomStream stream({3, 0, 0, 0, Purpose::test});
  const double weights[] = {0, 1, 0, 3, 0};
  int counts[5] = {};
  for (int i = 0; i < 40000; ++i) ++counts[stream.weighted(weights)];
  EXPECT_EQ(counts[0] + counts[2] + counts[4], 0);
  EXPECT_NEAR(counts[3] / 40000.0, 0.75, 0.01);
}

}  // namespace
}  // namespace ke
