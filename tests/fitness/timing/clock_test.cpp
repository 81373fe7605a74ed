#include "fitness/timing/clock.hpp"

#include <gtest/gtest.h>

namespace ke {
namespace {

TEST(Clock, a_preempted_sample_and_one_with_hidden_threads_differ) {
  EXPECT_FALSE(clocks_differ(2'000'000, 1'995'000, 0.05, 20'000));
  EXPECT_TRUE(clocks_differ(3'000'000, 1'995'000, 0.05, 20'000));
  EXPECT_TRUE(clocks_differ(1'000'000, 2'000'000, 0.05, 20'000));
}

TEST(Clock, short_gaps_are_within_the_slack) {
  EXPECT_FALSE(clocks_differ(100'000, 85'000, 0.05, 20'000));
  EXPECT_TRUE(clocks_differ(100'000, 85'000, 0.05, 1'000));
}

}  // namespace
}  // namespace ke
