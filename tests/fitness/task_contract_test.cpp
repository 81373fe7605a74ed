#include "fitness/task_contract.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fitness/content/generate.hpp"
#include "fitness/memory_floor.hpp"
#include "fitness/task.hpp"
#include "tests/fitness/content/sample_tasks.hpp"

namespace ke {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(TaskContract, every_class_of_inputs_has_words) {
  for (const Dtype dtype : {Dtype::float32, Dtype::float16, Dtype::int32, Dtype::float64}) {
    for (const std::string& name : classes_of(dtype))
      EXPECT_NE(class_words(name, dtype), "") << name;
  }
  EXPECT_NE(class_words("tiny", Dtype::float64), class_words("tiny"));
  EXPECT_EQ(class_words("purple"), "");
}

TEST(TaskContract, tells_ranges_and_scales_of_every_type) {
  const TaskContract contract = contract_of(sample::task(sample::mixed_text()));
  EXPECT_EQ(contract.tensors[0].values[0], "integers in [-1099511627776, 1099511627776)");
  EXPECT_EQ(contract.tensors[2].values[0], "0 and 1");
  EXPECT_EQ(contract.tensors[5].values[0], "all of them times 0.0009765625");
  EXPECT_EQ(contract.tensors[5].dtype, "float64");
}

TEST(TaskContract, holds_the_public_shapes_with_their_sizes) {
  const Task task = sample::task(sample::softmax_text());
  const TaskContract contract = contract_of(task);
  std::size_t hidden = 0;
  for (const Workload& workload : task.workloads) hidden += workload.role == Role::holdout ? 1 : 0;
  EXPECT_GT(hidden, 0u);
  EXPECT_EQ(contract.shapes.size(), task.workloads.size() - hidden);
  EXPECT_EQ(contract.shapes[1].label, "rows=64 cols=128");
  EXPECT_EQ(contract.shapes[1].role, "bench");
  EXPECT_EQ(contract.shapes[1].tensor_bytes, 2 * 4 * 64 * 128);
  EXPECT_EQ(contract.shapes[1].traffic_bytes, 8 * 64 * 128);
  EXPECT_EQ(contract.nonfinite, "row_nan");
  EXPECT_EQ(contract.relative, task.tolerance.relative);
  EXPECT_THAT(contract.axes, ElementsAre("rows", "cols"));
  EXPECT_THAT(contract.tensors[0].shape, ElementsAre("rows", "cols"));
}

TEST(Floors, are_the_compulsory_bytes_over_the_rate_of_timed_public_shapes) {
  const Task task = sample::task(sample::softmax_text());
  const auto floors = floors_ns(
      task, [](std::int64_t) { return 2.0; }, 0);
  for (const Workload& workload : task.workloads) {
    const bool timed = workload.role == Role::bench || workload.role == Role::validation;
    EXPECT_EQ(floors.contains(workload.label), timed) << workload.label;
  }
  EXPECT_EQ(floors.at("rows=64 cols=128"), 8 * 64 * 128 / 2.0);
  EXPECT_TRUE(floors_ns(
                  task, [](std::int64_t) { return 0.0; }, 0)
                  .empty());
}

// A product of two matrices of 4096 x 4096 computes 2 x 4096^3 operations on 3 x 4 x 4096^2 bytes.
TEST(Floors, are_the_time_of_the_operations_where_that_is_longer) {
  Task task = sample::task(sample::softmax_text());
  task.flops = *Expression::parse("2*rows*cols*4096");
  const auto rate = [](std::int64_t) { return 1.0; };
  EXPECT_EQ(floors_ns(task, rate, 4.0).at("rows=64 cols=128"), 2.0 * 64 * 128 * 4096 / 4);
  EXPECT_EQ(floors_ns(task, rate, 1e6).at("rows=64 cols=128"), 8 * 64 * 128);
  task.bytes = *Expression::parse("0");
  EXPECT_EQ(floors_ns(task, rate, 1.0).at("rows=64 cols=128"), 2.0 * 64 * 128 * 4096);
}

TEST(Floors, count_operations_in_the_widest_type_of_the_inputs) {
  Task task = sample::task(sample::softmax_text());
  EXPECT_EQ(widest_input(task), Dtype::float32);
  task.tensors[0].dtype = Dtype::bfloat16;
  EXPECT_EQ(widest_input(task), Dtype::bfloat16);
  task.tensors.insert(task.tensors.begin(), task.tensors[0]);
  task.tensors[0].dtype = Dtype::float64;
  EXPECT_EQ(widest_input(task), Dtype::float64);
  task.tensors[0].dtype = task.tensors[1].dtype = Dtype::int32;
  EXPECT_EQ(widest_input(task), Dtype::float32) << "no floating input";
}

}  // namespace
}  // namespace ke
