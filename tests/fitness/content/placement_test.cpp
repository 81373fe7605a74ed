#include "fitness/content/placement.hpp"

#include <gtest/gtest.h>

#include "tests/fitness/content/sample_tasks.hpp"

namespace ke {
namespace {

constexpr std::int64_t page = Placement::page;

Shapes shapes_of(const Task& task, std::int64_t rows, std::int64_t cols) {
  return *resolve_shapes(task, sample::workload({{"rows", rows}, {"cols", cols}}));
}

/// Checks that every byte of the region belongs to exactly one of tensor, canary, guard.
void expect_partition(const Region& region) {
  std::vector<int> owners(static_cast<std::size_t>(region.size));
  for (const auto* list : {&region.tensors, &region.guards, &region.canaries}) {
    for (const Extent& extent : *list) {
      for (std::int64_t i = 0; i < extent.size; ++i)
        ++owners.at(static_cast<std::size_t>(extent.begin + i));
    }
  }
  EXPECT_EQ(std::count(owners.begin(), owners.end(), 1), region.size);
}

TEST(placement, regions_are_partitioned_at_every_size) {
  const Task task = sample::task(sample::matvec_text());
  for (const std::int64_t rows : {1, 15, 16, 17, 1024, 1025}) {
    for (const std::int64_t cols : {1, 3, 16, 1000}) {
      for (const Side side : {Side::start, Side::end}) {
        const Placement placement = Placement::of(task, shapes_of(task, rows, cols), side);
        expect_partition(placement.inputs);
        expect_partition(placement.outputs);
        EXPECT_EQ(placement.inputs.tensors.size(), 2u);
        EXPECT_EQ(placement.inputs.tensors[0].size, 4 * rows * cols);
        EXPECT_EQ(placement.outputs.tensors[0].size, 4 * rows);
        for (const Extent& tensor : placement.inputs.tensors) EXPECT_EQ(tensor.begin % 64, 0);
        for (const Extent& guard : placement.inputs.guards) EXPECT_EQ(guard.begin % page, 0);
      }
    }
  }
}

TEST(placement, start_is_behind_a_guard_and_end_before_one) {
  const Task task = sample::task(sample::matvec_text());
  const Shapes shapes = shapes_of(task, 5, 16);  // a: 320 bytes, y: 20 bytes
  const Region start = Placement::of(task, shapes, Side::start).inputs;
  const Region end = Placement::of(task, shapes, Side::end).inputs;
  EXPECT_EQ(start.tensors[0].begin, start.guards[0].begin + page);
  EXPECT_EQ(end.tensors[0].begin + 320,
            end.guards[1].begin);  // no padding: 320 is a multiple of 64
  const Region outputs = Placement::of(task, shapes, Side::end).outputs;
  EXPECT_EQ(outputs.tensors[0].begin + 20 + 44, outputs.guards[1].begin);  // 44 bytes of canary
}

TEST(placement, alignment_below_the_element_row_lets_the_end_touch_the_guard) {
  std::string text = sample::softmax_text();
  for (std::size_t at; (at = text.find("align: 64")) != text.npos;) text.replace(at, 9, "align: 4");
  const Task task = sample::task(text);
  const Region region = Placement::of(task, shapes_of(task, 3, 7), Side::end).outputs;
  EXPECT_EQ(region.tensors[0].begin + 84, region.guards[1].begin);
}

TEST(canaries, see_every_byte_beside_a_tensor_and_none_inside) {
  const Task task = sample::task(sample::matvec_text());
  const Region region = Placement::of(task, shapes_of(task, 5, 3), Side::end).outputs;
  SecretRandom random({1, 2, 3, 4});
  const Canaries canaries(region, random);
  std::vector<std::byte> memory(static_cast<std::size_t>(region.size));
  canaries.write(memory.data());
  EXPECT_EQ(canaries.broken(memory.data()), std::nullopt);
  std::byte* tensor = region.pointers(memory.data())[0];
  for (std::int64_t i = 0; i < 20; ++i) tensor[i] = std::byte{0xff};
  EXPECT_EQ(canaries.broken(memory.data()), std::nullopt);
  for (const Extent& canary : region.canaries) {
    for (std::int64_t i = canary.begin; i < canary.begin + canary.size; ++i) {
      memory[static_cast<std::size_t>(i)] ^= std::byte{1};
      EXPECT_EQ(canaries.broken(memory.data()), i);
      memory[static_cast<std::size_t>(i)] ^= std::byte{1};
    }
  }
}

}  // namespace
}  // namespace ke
