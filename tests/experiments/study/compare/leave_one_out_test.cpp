#include "experiments/study/compare/leave_one_out.hpp"

#include <gtest/gtest.h>

namespace ke {
namespace {

const std::vector<std::string> arms = {"reference", "steady", "lucky"};

/// Arm `lucky` gains only on t2, but so much that it is the best on average.
const TaskTable table = {.tasks = {"t0", "t1", "t2"}, .gains = {{1, 1, 1}, {2, 3, 2}, {0, 0, 30}}};

TEST(LeaveOneOut, a_task_has_no_say_in_the_choice_that_it_judges) {
  const auto held_out = leave_one_out(arms, 0, table);
  ASSERT_EQ(held_out.size(), 3u);
  EXPECT_EQ(held_out[0].arm, "lucky");  // 0 + 30 against 3 + 2
  EXPECT_EQ(held_out[0].gain, -1);
  EXPECT_EQ(held_out[1].arm, "lucky");
  EXPECT_EQ(held_out[1].gain, -1);
  EXPECT_EQ(held_out[2].task, "t2");
  EXPECT_EQ(held_out[2].arm, "steady");  // 2 + 3 against 0 + 0
  EXPECT_EQ(held_out[2].gain, 1);
  EXPECT_DOUBLE_EQ(mean_gain(held_out), -1.0 / 3);
}

TEST(LeaveOneOut, ties_go_to_the_earlier_arm) {
  const TaskTable equal = {{"t0", "t1", "t2"}, {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}};
  for (const HeldOut& one : leave_one_out(arms, 2, equal)) {
    EXPECT_EQ(one.arm, "reference");
    EXPECT_EQ(one.gain, 0);
  }
}

TEST(LeaveOneOut, two_tasks_are_too_few) {
  const TaskTable two = {{"t0", "t1"}, {{1, 1}, {2, 2}, {3, 3}}};
  EXPECT_TRUE(leave_one_out(arms, 0, two).empty());
  EXPECT_EQ(mean_gain({}), 0);
}

}  // namespace
}  // namespace ke
