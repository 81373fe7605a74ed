#include "fitness/gpu/gpu_quad.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ke::gpu {
namespace {

constexpr std::int64_t us = 1000;

/// Calls of 400 us with these additional waits of the judge, in us.
HiddenTime calls(const std::vector<std::int64_t>& own, const std::vector<std::int64_t>& other) {
  HiddenTime seen;
  for (const std::int64_t beyond : own) seen.add(0, 400 * us, (400 + beyond) * us);
  for (const std::int64_t beyond : other) seen.add(1, 700 * us, (700 + beyond) * us);
  return seen;
}

// The tolerance is 200 us plus a quarter of 400 us.
TEST(HiddenTime, what_both_arms_wait_for_is_no_suspicion) {
  EXPECT_FALSE(calls({500, 510, 520, 530}, {500, 510, 520, 530}).suspected());
  EXPECT_FALSE(calls({790, 790, 790, 790}, {500, 500, 500, 500}).suspected());
  EXPECT_TRUE(calls({800, 800, 800, 800}, {500, 500, 500, 500}).suspected());
}

TEST(HiddenTime, an_opponent_in_python_gives_more_slack) {
  const HiddenTime seen = calls({2590, 2590, 2590, 2590}, {500, 500, 500, 500});
  EXPECT_TRUE(seen.suspected(HiddenTime::slack_of_kernels_ns));
  EXPECT_FALSE(seen.suspected(HiddenTime::slack_of_modules_ns));
  EXPECT_TRUE(
      calls({2610, 2610, 2610}, {500, 500, 500}).suspected(HiddenTime::slack_of_modules_ns));
}

TEST(HiddenTime, a_challenger_that_waits_less_is_none) {
  EXPECT_FALSE(calls({100, 100, 100, 100}, {900, 900, 900, 900}).suspected());
}

TEST(HiddenTime, calls_that_the_host_delayed_are_none_while_more_than_a_quarter_were_not) {
  EXPECT_FALSE(calls({500, 500, 500, 3000, 3000, 3000, 3000, 3000}, {500, 500, 500}).suspected());
  EXPECT_TRUE(calls({500, 500, 3000, 3000, 3000, 3000, 3000, 3000}, {500, 500, 500}).suspected());
}

}  // namespace
}  // namespace ke::gpu
