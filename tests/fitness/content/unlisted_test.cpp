#include "fitness/content/unlisted.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/fitness/content/sample_tasks.hpp"

namespace ke {
namespace {

Task matvec_at(std::vector<std::map<std::string, std::int64_t>> shapes) {
  Task task = sample::task(sample::matvec_text());
  task.workloads.clear();
  for (auto& axes : shapes) task.workloads.push_back(sample::workload(std::move(axes)));
  return task;
}

TEST(unlisted, lies_between_the_least_length_and_that_of_a_listed_shape) {
  const Task task = matvec_at({{{"rows", 3}, {"cols", 7}}, {{"rows", 100}, {"cols", 50}}});
  SecretRandom random{{1, 2, 3, 4}};
  std::set<std::int64_t> rows, cols;
  for (int draw = 0; draw < 300; ++draw) {
    const Workload made = *unlisted_workload(task, 0, 1 << 20, random);
    EXPECT_EQ(made.role, Role::holdout);
    rows.insert(made.axes.at("rows"));
    cols.insert(made.axes.at("cols"));
  }
  EXPECT_EQ(*rows.begin(), 3);
  EXPECT_LE(*rows.rbegin(), 100);
  EXPECT_EQ(*cols.begin(), 7);
  EXPECT_LE(*cols.rbegin(), 50);
  EXPECT_GT(rows.size(), 50u);
}

TEST(unlisted, keeps_the_common_divisor_of_an_axis) {
  const Task task = matvec_at({{{"rows", 8}, {"cols", 5}}, {{"rows", 800}, {"cols", 5}}});
  SecretRandom random{{1, 2, 3, 4}};
  for (int draw = 0; draw < 50; ++draw) {
    const Workload made = *unlisted_workload(task, 0, 1 << 20, random);
    EXPECT_EQ(made.axes.at("rows") % 8, 0);
    EXPECT_EQ(made.axes.at("cols"), 5);
  }
}

TEST(unlisted, keeps_an_axis_within_another_that_always_was_longer) {
  const Task task = matvec_at({{{"rows", 2}, {"cols", 2}}, {{"rows", 60}, {"cols", 80}}});
  SecretRandom random{{1, 2, 3, 4}};
  for (int draw = 0; draw < 100; ++draw) {
    const Workload made = *unlisted_workload(task, 0, 1 << 20, random);
    EXPECT_LE(made.axes.at("rows"), made.axes.at("cols"));
  }
}

TEST(unlisted, is_no_larger_than_asked_where_a_listed_shape_is_not) {
  const Task task = matvec_at({{{"rows", 4}, {"cols", 4}}, {{"rows", 400}, {"cols", 400}}});
  SecretRandom random{{1, 2, 3, 4}};
  for (int draw = 0; draw < 50; ++draw) {
    EXPECT_EQ(unlisted_workload(task, 0, 100, random)->axes.at("rows"), 4);
    EXPECT_EQ(unlisted_workload(task, 0, 1, random)->axes.at("rows"), 4) << "the smallest there is";
  }
}

TEST(unlisted, lies_below_a_large_shape_where_that_is_asked_for) {
  const Task task = matvec_at({{{"rows", 4}, {"cols", 4}}, {{"rows", 400}, {"cols", 400}}});
  SecretRandom random{{1, 2, 3, 4}};
  std::int64_t longest = 0;
  for (int draw = 0; draw < 50; ++draw) {
    const Workload made = *unlisted_workload(task, 1000, 1 << 20, random);
    longest = std::max(longest, made.axes.at("rows"));
  }
  EXPECT_GT(longest, 300);
}

}  // namespace
}  // namespace ke
