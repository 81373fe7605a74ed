#include "fitness/gpu/gpu_quad.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ke::gpu {
namespace {

bool suspected(const std::vector<std::int64_t>& known_us, std::int64_t new_us) {
  FirstCall seen;
  for (const std::int64_t one : known_us) seen.add_known(1000 * one);
  if (new_us > 0) seen.add_new(1000 * new_us);
  return seen.suspected();
}

// The tolerance is half of 100 us plus 5 us.
TEST(FirstCall, on_a_new_content_may_take_half_as_long_again) {
  EXPECT_FALSE(suspected({100, 100, 100, 100}, 100));
  EXPECT_FALSE(suspected({100, 100, 100, 100}, 155));
  EXPECT_TRUE(suspected({100, 100, 100, 100}, 156));
}

TEST(FirstCall, is_compared_with_the_median_so_that_slow_warm_up_calls_hide_nothing) {
  EXPECT_TRUE(suspected({900, 900, 100, 100, 100, 100}, 900));
}

TEST(FirstCall, of_a_short_kernel_may_be_delayed) { EXPECT_FALSE(suspected({3, 3, 3}, 9)); }

TEST(FirstCall, is_none_before_both_kinds_were_seen) {
  EXPECT_FALSE(suspected({100, 100}, 0));
  EXPECT_FALSE(suspected({}, 100));
}

}  // namespace
}  // namespace ke::gpu
