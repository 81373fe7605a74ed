#include "fitness/gpu/gpu_contents.hpp"

#include <gtest/gtest.h>

#include "tests/fitness/content/sample_tasks.hpp"

namespace ke::gpu {
namespace {

// A small, a large and a very large workload; one draw is not enough for the last.
Task task_of_three_sizes() {
  Task task = sample::task(sample::matvec_text());
  task.workloads = {sample::workload({{"rows", 3}, {"cols", 5}}),
                    sample::workload({{"rows", 600}, {"cols", 601}}),
                    sample::workload({{"rows", 800}, {"cols", 801}})};
  const Role roles[] = {Role::test, Role::bench, Role::holdout};
  for (std::size_t i = 0; i < 3; ++i) task.workloads[i].role = roles[i];
  return task;
}

class GpuContentsTest : public testing::TestWithParam<unsigned> {
 protected:
  Task task_ = task_of_three_sizes();
  SecretRandom random_{{1, 2, 3, 4}};
};

TEST_P(GpuContentsTest, pools_are_the_same_whoever_draws_them) {
  GpuContents contents(task_, sample::oracle(task_), random_);
  contents.draw_ahead(GetParam());
  for (const Workload& workload : task_.workloads) {
    const auto plain = contents.plain(workload);
    const auto mixed = contents.mixed(workload);
    ASSERT_TRUE(plain) << plain.error().message;
    ASSERT_TRUE(mixed) << mixed.error().message;
    EXPECT_NE(*plain, *mixed);
    EXPECT_EQ(*plain, *contents.plain(workload));
    const bool small = GpuContents::small((*plain)->shapes());
    EXPECT_EQ((*plain)->entries().size(), small ? 3u : 2u) << workload.label;  // a twin where small
    EXPECT_EQ((*mixed)->entries().size(), 3u) << workload.label;
  }
}

TEST_P(GpuContentsTest, closing_does_not_wait_for_what_nobody_asked_for) {
  GpuContents contents(task_, sample::oracle(task_), random_);
  contents.draw_ahead(GetParam());
}

TEST_P(GpuContentsTest, no_two_pools_hold_the_same_secret) {
  GpuContents contents(task_, sample::oracle(task_), random_);
  contents.draw_ahead(GetParam());
  GpuContents others(task_, sample::oracle(task_), random_);
  others.draw_ahead(GetParam());
  const Workload& bench = task_.workloads[1];
  EXPECT_NE((*contents.plain(bench))->entries()[0]->inputs[0],
            (*others.plain(bench))->entries()[0]->inputs[0]);
}

INSTANTIATE_TEST_SUITE_P(Threads, GpuContentsTest, testing::Values(0, 1, 3));

}  // namespace
}  // namespace ke::gpu
