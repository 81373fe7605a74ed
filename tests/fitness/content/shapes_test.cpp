#include "fitness/content/shapes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fitness/content/sample_tasks.hpp"

namespace ke {
namespace {

/// Source of each element of the result, by the definition.
std::vector<std::int64_t> by_definition(const TensorShape& shape,
                                        const std::vector<std::int64_t>& offsets) {
  std::vector<std::int64_t> from;
  for (std::int64_t index = 0; index < shape.elements; ++index) {
    std::int64_t rest = index, source = 0, stride = 1;
    for (std::size_t d = shape.dims.size(); d-- > 0;) {
      const std::int64_t position = rest % shape.dims[d];
      rest /= shape.dims[d];
      const std::int64_t offset =
          shape.rotated_by[d] < 0 ? 0 : offsets[static_cast<std::size_t>(shape.rotated_by[d])];
      source += (position + offset) % shape.dims[d] * stride;
      stride *= shape.dims[d];
    }
    from.push_back(source);
  }
  return from;
}

TEST(shapes, runs_move_elements_as_the_definition_says) {
  const std::vector<std::vector<int>> patterns = {{-1, -1, -1}, {0, -1, -1}, {-1, 0, -1},
                                                  {-1, -1, 0},  {0, 1, -1},  {0, -1, 1},
                                                  {0, 0, 1},    {1, 0, 1}};
  for (const auto& rotated : patterns) {
    const TensorShape shape{{4, 4, 4}, rotated, 64, 256};
    for (std::int64_t a = 0; a < 4; ++a) {
      for (std::int64_t b = 0; b < 4; ++b) {
        std::vector<std::int64_t> offsets(2, a);
        offsets[1] = b;
        std::vector<std::int64_t> from(64, -1);
        std::int64_t next = 0;
        for_each_run(shape, offsets, [&](std::int64_t to, std::int64_t source, std::int64_t count) {
          EXPECT_EQ(to, next);  // in order, without gaps
          next += count;
          for (std::int64_t i = 0; i < count; ++i)
            from[static_cast<std::size_t>(to + i)] = source + i;
        });
        EXPECT_EQ(next, 64);
        EXPECT_EQ(from, by_definition(shape, offsets));
      }
    }
  }
}

TEST(shapes, no_rotation_is_one_run) {
  const TensorShape shape{{4, 5}, {0, 1}, 20, 80};
  int runs = 0;
  for_each_run(shape, std::vector<std::int64_t>{0, 0}, [&](auto, auto, std::int64_t count) {
    ++runs;
    EXPECT_EQ(count, 20);
  });
  EXPECT_EQ(runs, 1);
}

TEST(shapes, are_resolved_at_a_workload) {
  const Task task = sample::task(sample::gather_text());
  const auto shapes = resolve_shapes(task, sample::workload({{"entries", 9}, {"n", 20}}));
  ASSERT_TRUE(shapes);
  EXPECT_EQ(shapes->inputs, 2u);
  EXPECT_THAT(shapes->tensors[0].dims, testing::ElementsAre(9));
  EXPECT_EQ(shapes->tensors[3].bytes, 80);
  EXPECT_THAT(shapes->tensors[3].rotated_by, testing::ElementsAre(1));
  EXPECT_THAT(shapes->axis_arguments, testing::ElementsAre(9, 20));
  EXPECT_EQ(shapes->range_high[1], 9);
  EXPECT_EQ(shapes->row, 20);
}

TEST(shapes, that_were_drawn_are_held_to_a_wider_tolerance_and_short_rows_to_one_scale) {
  const Task task = sample::task(sample::gather_text());
  const auto at = [&](std::int64_t n, bool drawn) {
    Workload workload = sample::workload({{"entries", 9}, {"n", n}});
    workload.drawn = drawn;
    return *resolve_shapes(task, workload);
  };
  EXPECT_EQ(at(63, false).tolerance_factor, 1);
  EXPECT_FALSE(at(63, false).one_scale);
  EXPECT_EQ(at(63, true).tolerance_factor, 16);
  EXPECT_TRUE(at(63, true).one_scale);
  EXPECT_FALSE(at(64, true).one_scale);
}

TEST(shapes, a_missing_axis_is_an_error) {
  const Task task = sample::task(sample::gather_text());
  const auto shapes = resolve_shapes(task, sample::workload({{"n", 20}}));
  ASSERT_FALSE(shapes);
  EXPECT_NE(shapes.error().message.find("unknown name 'entries'"), std::string::npos);
}

}  // namespace
}  // namespace ke
