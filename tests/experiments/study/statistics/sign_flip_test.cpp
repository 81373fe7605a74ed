#include "experiments/study/statistics/sign_flip.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/experiments/study/statistics/golden_statistics.hpp"

namespace ke::statistics {
namespace {

std::size_t never(std::size_t) {
  ADD_FAILURE() << "an exact test draws nothing";
  return 0;
}

TEST(SignFlip, agrees_with_every_permutation_of_scipy) {
  int compared = 0;
  for (const auto& row : testing::golden_statistics()["data"]) {
    if (!row.contains("sign_flip")) continue;
    const double expected = row["sign_flip"];
    EXPECT_NEAR(sign_flip_p(testing::numbers(row["d"]), never), expected, 1e-9);
    ++compared;
  }
  EXPECT_GE(compared, 100);
}

TEST(SignFlip, reaches_two_over_all_signs_at_best) {
  const std::vector<double> d = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(sign_flip_p(d, never), 2.0 / 64);
  EXPECT_EQ(sign_flip_p(std::vector<double>{0, 0, 0}, never), 1.0);
  // Sums that differ only by rounding are ties.
  EXPECT_EQ(sign_flip_p(std::vector<double>{0.1, 0.2, -0.3}, never), 1.0);
}

TEST(SignFlip, sampled_signs_come_near_the_exact_value) {
  std::mt19937_64 engine(1);
  const RandomIndex random = [&](std::size_t bound) { return engine() % bound; };
  // Thirty differences of equal size: P(|S| >= 10) of 30 coins, from the binomial distribution.
  std::vector<double> d(30, 1.0);
  for (int i = 0; i < 10; ++i) d[static_cast<std::size_t>(i)] = -1.0;
  EXPECT_NEAR(sign_flip_p(d, random, 40'000), 0.098737, 0.006);
}

}  // namespace
}  // namespace ke::statistics
