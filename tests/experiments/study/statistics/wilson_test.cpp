#include "experiments/study/statistics.hpp"

#include <gmock/gmock.h>

namespace ke::statistics {
namespace {

// Expected values: R 4.2, prop.test(x, n, correct = FALSE)$conf.int.
TEST(Wilson, agrees_with_prop_test) {
  const Interval some = wilson_interval(8, 10);
  EXPECT_NEAR(some.low, 0.4901625, 1e-7);
  EXPECT_NEAR(some.high, 0.9433178, 1e-7);
  const Interval none = wilson_interval(0, 10);
  EXPECT_DOUBLE_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 0.2775328, 1e-7);
}

TEST(Wilson, all_successes_mirror_none) {
  const Interval none = wilson_interval(0, 25);
  const Interval all = wilson_interval(25, 25);
  EXPECT_NEAR(all.low, 1 - none.high, 1e-12);
  EXPECT_DOUBLE_EQ(all.high, 1);
}

TEST(Wilson, without_trials_nothing_is_known) {
  const Interval any = wilson_interval(0, 0);
  EXPECT_EQ(any.low, 0);
  EXPECT_EQ(any.high, 1);
}

}  // namespace
}  // namespace ke::statistics
