#include "experiments/study/statistics/targets.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ke::statistics {
namespace {

const std::vector<double> values{1.0, 3.0, 2.0, 5.0};

TEST(Targets, best_so_far_never_falls) {
  EXPECT_EQ(best_so_far(values), (std::vector<double>{1.0, 3.0, 3.0, 5.0}));
  EXPECT_TRUE(best_so_far({}).empty());
}

TEST(Targets, evaluations_are_counted_from_one) {
  EXPECT_EQ(evaluations_to_target(values, 1.0), 1);
  EXPECT_EQ(evaluations_to_target(values, 2.5), 2);
  EXPECT_EQ(evaluations_to_target(values, 5.0), 4);
  EXPECT_FALSE(evaluations_to_target(values, 5.1));
}

TEST(Targets, failed_runs_cost_but_do_not_count) {
  const std::vector<TargetRun> runs{{10, true}, {30, true}, {100, false}};
  EXPECT_DOUBLE_EQ(expected_running_time(runs), 70.0);
  EXPECT_TRUE(std::isinf(expected_running_time(std::vector<TargetRun>{{100, false}})));
  EXPECT_EQ(shares_reached(runs, std::vector<std::int64_t>{9, 10, 30, 1000}),
            (std::vector<double>{0.0, 1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0}));
}

}  // namespace
}  // namespace ke::statistics
