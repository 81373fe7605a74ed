#include "fitness/content/unlisted.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "tests/fitness/content/sample_tasks.hpp"

namespace ke {
namespace {

using Axes = std::map<std::string, std::int64_t>;

Task matvec_at(std::vector<Axes> shapes) {
  Task task = sample::task(sample::matvec_text());
  task.workloads.clear();
  for (Axes& axes : shapes) task.workloads.push_back(sample::workload(std::move(axes)));
  return task;
}

class Unlisted : public testing::Test {
 protected:
  std::vector<Axes> drawn(const Task& task, int judgements, JobKind purpose = JobKind::verify,
                          const ShapeLimits& limits = {}) {
    std::vector<Axes> list;
    for (int i = 0; i < judgements; ++i) {
      for (const Workload& made : unlisted_workloads(task, purpose, limits, random_)) {
        EXPECT_EQ(made.role, Role::holdout);
        EXPECT_TRUE(made.drawn);
        list.push_back(made.axes);
      }
    }
    return list;
  }
  static double share(const std::vector<Axes>& list, const std::function<bool(const Axes&)>& of) {
    return static_cast<double>(std::ranges::count_if(list, of)) / static_cast<double>(list.size());
  }
  static std::int64_t elements(const Axes& axes) {  // total of a, x and y
    return axes.at("rows") * axes.at("cols") + axes.at("rows") + axes.at("cols");
  }

  SecretRandom random_{{1, 2, 3, 4}};
};

TEST_F(Unlisted, shapes_are_few_in_a_screen_none_in_a_duel_many_in_a_verification) {
  const Task task = matvec_at({{{"rows", 3}, {"cols", 7}}, {{"rows", 400}, {"cols", 900}}});
  const std::size_t few = drawn(task, 1, JobKind::screen).size();
  EXPECT_GT(few, 0u);
  EXPECT_EQ(drawn(task, 1, JobKind::duel).size(), 0u);
  EXPECT_GT(drawn(task, 1).size(), 8 * few);
}

TEST_F(Unlisted, lengths_reach_from_the_least_listed_one_to_four_times_the_greatest) {
  const auto list =
      drawn(matvec_at({{{"rows", 3}, {"cols", 7}}, {{"rows", 100}, {"cols", 50}}}), 10);
  std::set<std::int64_t> rows, cols;
  for (const Axes& axes : list) {
    rows.insert(axes.at("rows"));
    cols.insert(axes.at("cols"));
  }
  EXPECT_EQ(*rows.begin(), 3);
  EXPECT_GT(*rows.rbegin(), 300);
  EXPECT_LE(*rows.rbegin(), 400);
  EXPECT_EQ(*cols.begin(), 7);
  EXPECT_GT(*cols.rbegin(), 150);
  EXPECT_LE(*cols.rbegin(), 200);
}

TEST_F(Unlisted, lengths_stay_in_a_range_that_the_task_declares) {
  Task task = matvec_at({{{"rows", 10}, {"cols", 20}}, {{"rows", 100}, {"cols", 50}}});
  task.ranges = {{"rows", {9, 101}}, {"cols", {2, 1000000}}};
  std::int64_t longest = 0;
  for (const Axes& axes : drawn(task, 10)) {
    EXPECT_GE(axes.at("rows"), 9);
    EXPECT_LE(axes.at("rows"), 101);
    EXPECT_GE(axes.at("cols"), 2);
    longest = std::max(longest, axes.at("cols"));
  }
  EXPECT_GT(longest, 200) << "beyond the default";
}

TEST_F(Unlisted, lengths_are_multiples_and_their_neighbours_far_more_often_than_by_chance) {
  const auto list =
      drawn(matvec_at({{{"rows", 1}, {"cols", 1}}, {{"rows", 4000}, {"cols", 4000}}}), 5);
  const auto odd_64 = [](const Axes& axes) {
    return axes.at("cols") % 64 == 0 && axes.at("cols") / 64 % 2 == 1;
  };
  EXPECT_GT(share(list, odd_64), 0.03);
  EXPECT_GT(share(list, [](const Axes& a) { return a.at("rows") % 16 == 1; }), 0.09);
  EXPECT_GT(share(list, [](const Axes& a) { return a.at("rows") % 16 == 15; }), 0.09);
  const auto both = [](const Axes& a) { return a.at("rows") % 16 == 0 && a.at("cols") % 16 == 0; };
  EXPECT_GT(share(list, both), 0.08);
}

TEST_F(Unlisted, extremes_of_different_workloads_meet) {
  const auto list =
      drawn(matvec_at({{{"rows", 5000}, {"cols", 2}}, {{"rows", 2}, {"cols", 5000}}}), 5);
  EXPECT_TRUE(std::ranges::any_of(
      list, [](const Axes& axes) { return axes.at("rows") == 5000 && axes.at("cols") > 2; }));
  EXPECT_TRUE(std::ranges::any_of(
      list, [](const Axes& axes) { return axes.at("rows") < 4 && axes.at("cols") > 5000; }));
}

TEST_F(Unlisted, lengths_above_65535_meet_others_that_are_not_the_shortest) {
  const auto list =
      drawn(matvec_at({{{"rows", 70000}, {"cols", 1}}, {{"rows", 2}, {"cols", 300}}}), 5);
  const auto long_and_wide = [](const Axes& axes) {
    return axes.at("rows") > 65535 && axes.at("cols") > 3;
  };
  EXPECT_GE(std::ranges::count_if(list, long_and_wide), 5 * 3);
}

TEST_F(Unlisted, every_verification_has_both_axes_at_the_ends_of_their_ranges) {
  Task task = matvec_at({{{"rows", 10}, {"cols", 20}}, {{"rows", 50}, {"cols", 30}}});
  task.ranges = {{"rows", {1, 1000}}, {"cols", {1, 1000}}};
  for (int i = 0; i < 20; ++i) {
    const auto list = unlisted_workloads(task, JobKind::verify, {}, random_);
    EXPECT_TRUE(std::ranges::any_of(list, [](const Workload& made) {
      return made.first_classes && made.axes.at("rows") * made.axes.at("cols") == 1000000;
    }));
  }
}

TEST_F(Unlisted, of_a_pair_that_is_too_large_either_axis_is_at_its_end) {
  Task task = matvec_at({{{"rows", 10}, {"cols", 20}}, {{"rows", 51}, {"cols", 31}}});
  task.ranges = {{"rows", {1, 10000}}, {"cols", {1, 10000}}};
  const auto list = drawn(task, 20);
  for (const auto& pair : {std::pair("rows", "cols"), std::pair("cols", "rows")}) {
    const char *longest = pair.first, *other = pair.second;
    EXPECT_GT(share(list,
                    [&](const Axes& axes) {
                      return axes.at(longest) == 10000 && axes.at(other) > 100 &&
                             elements(axes) + 10000 > 1 << 20;
                    }),
              0);
  }
}

// The third axis is never shorter than "bag", so it takes room that "cols" cannot have.
TEST_F(Unlisted, a_pair_reaches_its_ends_beside_an_axis_that_is_never_shorter) {
  Task task = sample::task(
      R"({schema: kernelevolve-task/1, name: bags, axes: {rows: var, bag: var, cols: var, dim: var},
    signature: [x, w, y, rows, bag, cols, dim],
    inputs: {x: {shape: [cols, dim]}, w: {shape: [rows, bag]}}, outputs: {y: {shape: [rows, dim]}},
    tolerance: {relative: 1.0e-4, relative_l2: 1.0e-5, scale: 1.0e-4}, row: dim,
    cost: {bytes: "4*cols*dim"}, reference: matvec_reference.cpp,
    kernels: {naive: naive.cpp, anchor: vectorised.cpp},
    workloads: [{rows: 3, bag: 2, cols: 1, dim: 7, role: test},
      {rows: 1, bag: 8, cols: 90, dim: 64, role: bench},
      {rows: 3, bag: 1, cols: 2, dim: 2, role: holdout}, {rows: 1, bag: 2, cols: 2, dim: 3, role: holdout},
      {rows: 3, bag: 3, cols: 2, dim: 3, role: holdout}],
    ranges: {rows: [1, 100], bag: [1, 64], cols: [1, 20000], dim: [1, 256]}})");
  for (int i = 0; i < 10; ++i) {
    EXPECT_GT(share(drawn(task, 1),
                    [](const Axes& axes) {
                      const std::int64_t bag = axes.at("bag"), cols = axes.at("cols");
                      return (bag == 64 && cols > 10000) || (cols == 20000 && bag > 40);
                    }),
              0);
  }
}

TEST_F(Unlisted, every_verification_has_axes_of_equal_length) {
  const Task task = matvec_at({{{"rows", 3}, {"cols", 7}}, {{"rows", 400}, {"cols", 900}}});
  std::set<std::int64_t> lengths;
  for (int i = 0; i < 20; ++i) {
    const auto list = drawn(task, 1);
    EXPECT_GT(share(list, [](const Axes& axes) { return axes.at("rows") == axes.at("cols"); }), 0);
    for (const Axes& axes : list) {
      if (axes.at("rows") == axes.at("cols")) lengths.insert(axes.at("rows"));
    }
  }
  EXPECT_GT(lengths.size(), 20u);
}

TEST_F(Unlisted, common_divisors_of_an_axis_are_kept) {
  const Task task = matvec_at({{{"rows", 8}, {"cols", 5}}, {{"rows", 800}, {"cols", 5}}});
  for (const Axes& axes : drawn(task, 2)) EXPECT_EQ(axes.at("rows") % 8, 0);
}

TEST_F(Unlisted, an_axis_stays_within_another_that_always_was_longer) {
  const Task task = matvec_at({{{"rows", 2}, {"cols", 2}}, {{"rows", 60}, {"cols", 80}}});
  for (const Axes& axes : drawn(task, 2)) EXPECT_LE(axes.at("rows"), axes.at("cols"));
}

TEST_F(Unlisted, shapes_are_no_larger_than_the_device_bears) {
  const Task task = matvec_at({{{"rows", 4}, {"cols", 4}}, {{"rows", 4000}, {"cols", 4000}}});
  std::int64_t most = 0;
  for (const Axes& axes : drawn(task, 5, JobKind::verify, {.most_elements = 30000})) {
    most = std::max(most, elements(axes));
  }
  EXPECT_LE(most, 30000);
  EXPECT_GT(most, 20000);
}

TEST_F(Unlisted, a_share_has_the_size_of_bench_shapes) {
  const Task task = matvec_at({{{"rows", 4}, {"cols", 4}}, {{"rows", 2000}, {"cols", 1000}}});
  const auto list = drawn(task, 5);
  EXPECT_GE(std::ranges::count_if(list, [](const Axes& a) { return elements(a) > 1 << 18; }),
            5 * 3);
}

TEST_F(Unlisted, a_range_that_ends_just_above_16_bits_is_met_at_its_end) {
  Task task = matvec_at({{{"rows", 3}, {"cols", 7}}, {{"rows", 65537}, {"cols", 3}}});
  task.ranges = {{"rows", {3, 65537}}, {"cols", {1, 100}}};
  const auto list = drawn(task, 10);
  EXPECT_GT(share(list, [](const Axes& axes) { return axes.at("rows") == 65537; }), 0.05);
}

TEST_F(Unlisted, slim_shapes_have_each_length_of_a_large_workload_and_few_elements) {
  const Task task = matvec_at({{{"rows", 3}, {"cols", 7}},
                               {{"rows", 400}, {"cols", 900}},
                               {{"rows", 5000}, {"cols", 900}}});
  SecretRandom random({1, 2, 3, 4});
  std::set<std::int64_t> rows, cols;
  for (const Workload& made : slim_workloads(task, 1 << 14, random)) {
    EXPECT_LE(elements(made.axes), 1 << 14);
    rows.insert(made.axes.at("rows"));
    cols.insert(made.axes.at("cols"));
  }
  EXPECT_TRUE(rows.contains(400));
  EXPECT_TRUE(cols.contains(900));
}

TEST_F(Unlisted, small_workloads_need_no_slim_shapes) {
  const Task task = matvec_at({{{"rows", 3}, {"cols", 7}}, {{"rows", 40}, {"cols", 90}}});
  SecretRandom random({1, 2, 3, 4});
  EXPECT_TRUE(slim_workloads(task, 1 << 14, random).empty());
}

}  // namespace
}  // namespace ke
