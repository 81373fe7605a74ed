// Shapes that decide which kernels a dispatcher calls.

#include "experiments/dispatch/training_shapes.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "experiments/run/evaluators/cpu.hpp"

namespace ke {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Task softmax() { return **load_task("softmax", "."); }

std::vector<std::string> labels_of(const Task& task) { return task.labels(Role::validation); }

std::string error_of(const std::string& shapes) {
  const auto task = with_training_shapes(softmax(), {.given = shapes});
  EXPECT_FALSE(task) << shapes;
  return task ? "" : task.error().message;
}

TEST(TrainingShapes, are_those_of_validation_and_the_given_ones) {
  const auto task = with_training_shapes(softmax(), {.given = "rows=64 cols=8, cols=100 rows=1,"});
  ASSERT_TRUE(task) << task.error().message;
  EXPECT_THAT(labels_of(*task),
              ElementsAre("rows=2048 cols=500", "rows=64 cols=8", "rows=1 cols=100"));
  EXPECT_THAT(task->labels(Role::bench), ElementsAre("rows=512 cols=1024", "rows=4096 cols=128"));
}

TEST(TrainingShapes, may_be_listed_for_correctness_already) {
  const auto task = with_training_shapes(softmax(), {.given = "rows=65537 cols=3"});
  ASSERT_TRUE(task);
  EXPECT_EQ(task->workloads.size(), softmax().workloads.size());
  EXPECT_THAT(labels_of(*task), ElementsAre("rows=65537 cols=3", "rows=2048 cols=500"));
}

TEST(TrainingShapes, that_cannot_be_are_refused_with_what_is_allowed) {
  EXPECT_EQ(error_of("rows=3 columns=8"),
            "--shapes: 'rows=3 columns=8' names an axis 'columns'; it is AXIS=LENGTH of each of "
            "rows=1 cols=1");
  EXPECT_EQ(error_of("rows=3"), "--shapes: 'rows=3' lacks axis 'cols'");
  for (const char* length : {"0", "-1", "x", "", "1.5", "1099511627777"}) {
    EXPECT_THAT(error_of(std::string("rows=3 cols=") + length),
                HasSubstr("has no length of 'cols' in [1, 1099511627776]"));
  }
  EXPECT_THAT(error_of("rows"), HasSubstr("has no length of 'rows'"));
  EXPECT_THAT(error_of("rows=300 cols=1000"), HasSubstr("role holdout, which must not decide"));
}

TEST(TrainingShapes, that_are_drawn_are_new_and_move_no_more_bytes_than_the_largest_listed_one) {
  const Task before = softmax();
  const auto task = with_training_shapes(before, {.drawn = 20});
  ASSERT_TRUE(task);
  ASSERT_EQ(task->workloads.size(), before.workloads.size() + 20);
  for (std::size_t i = before.workloads.size(); i < task->workloads.size(); ++i) {
    const Workload& drawn = task->workloads[i];
    EXPECT_EQ(drawn.role, Role::validation);
    EXPECT_GE(drawn.axes.at("rows"), 512 / 4);
    EXPECT_LE(drawn.axes.at("rows"), 4096 * 4);
    EXPECT_GE(drawn.axes.at("cols"), 128 / 4);
    EXPECT_LE(drawn.axes.at("cols"), 1024 * 4);
    EXPECT_LE(drawn.axes.at("rows") * drawn.axes.at("cols"), 2048 * 500);
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(task->workloads[j].axes, drawn.axes);
  }
}

TEST(TrainingShapes, that_are_drawn_keep_what_kernels_may_rely_on) {
  Task task = softmax();
  for (Workload& workload : task.workloads) {
    const auto [least, most] = std::minmax({workload.axes["rows"], workload.axes["cols"]});
    workload.axes = {{"rows", 12 * most}, {"cols", 12 * least}};
  }
  const auto more = with_training_shapes(task, {.drawn = 10});
  ASSERT_TRUE(more);
  ASSERT_GT(more->workloads.size(), task.workloads.size());
  for (const Workload& workload : more->workloads) {
    EXPECT_EQ(workload.axes.at("rows") % 12, 0);
    EXPECT_EQ(workload.axes.at("cols") % 12, 0);
    EXPECT_GE(workload.axes.at("rows"), workload.axes.at("cols"));
  }
}

TEST(TrainingShapes, depend_on_the_seed_alone_and_make_another_task) {
  const auto one = with_training_shapes(softmax(), {.drawn = 3, .seed = 5});
  const auto same = with_training_shapes(softmax(), {.drawn = 3, .seed = 5});
  const auto other = with_training_shapes(softmax(), {.drawn = 3, .seed = 6});
  EXPECT_EQ(labels_of(*one), labels_of(*same));
  EXPECT_EQ(one->content_hash, same->content_hash);
  EXPECT_NE(labels_of(*one), labels_of(*other));
  EXPECT_NE(one->content_hash, other->content_hash);
  EXPECT_NE(one->content_hash, softmax().content_hash);
}

}  // namespace
}  // namespace ke
