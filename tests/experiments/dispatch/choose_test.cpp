// Selection and rules of dispatched kernels, against closed cases and all subsets.

#include "experiments/dispatch/choose.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "core/random_stream.hpp"
#include "experiments/dispatch/contenders.hpp"
#include "experiments/dispatch/result_text.hpp"

namespace ke {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr double width = 1.01;  // width of each interval: 1 % up and down

/// Makes a table from rows of speedups; the anchor's own row comes first.
SpeedupTable table_of(const std::vector<std::vector<double>>& speedups) {
  SpeedupTable table = {{speedups.front().size(), SpeedupFigure{1, {1, 1}, ""}}};
  for (const auto& row : speedups) {
    table.emplace_back();
    for (const double x : row) table.back().push_back({x, {x / width, x * width}, ""});
  }
  return table;
}

double reached(const SpeedupTable& table, const std::vector<std::size_t>& kernels) {
  double sum = 0;
  for (std::size_t shape = 0; shape < table.front().size(); ++shape) {
    double best = 1;
    for (const std::size_t kernel : kernels) best = std::max(best, table[kernel][shape].speedup);
    sum += std::log(best);
  }
  return sum;
}

TEST(KernelsOfADispatcher, are_those_that_add_most_in_the_order_of_what_they_add) {
  const SpeedupTable table = table_of({{2, 2, 1}, {2.1, 1.9, 1}, {1, 1, 3}});
  EXPECT_THAT(choose_few(table, {}, 2, 0.01), ElementsAre(1, 3));
  EXPECT_THAT(choose_few(table, {}, 1, 0.01), ElementsAre(1));
}

TEST(KernelsOfADispatcher, are_no_more_than_gain_what_is_asked_for) {
  // Beside the first kernel, the second adds a factor 1.1 at one of two shapes: sqrt(1.1) - 1 = 4.9
  // %.
  const SpeedupTable table = table_of({{2, 2}, {2.2, 1}});
  EXPECT_THAT(choose_few(table, {}, 2, 0.048), ElementsAre(1, 2));
  EXPECT_THAT(choose_few(table, {}, 2, 0.049), ElementsAre(1));
  EXPECT_THAT(choose_few(table_of({{0.9, 0.5}}), {}, 2, 0.01), IsEmpty());
}

TEST(KernelsOfADispatcher, reach_at_least_the_proven_share_of_the_best_choice_of_as_many) {
  RandomStream random({7, 0, 0, 0, Purpose::test});
  for (int round = 0; round < 200; ++round) {
    std::vector<std::vector<double>> speedups(7, std::vector<double>(5));
    for (auto& row : speedups) {
      for (double& x : row) x = 0.5 + 2 * random.uniform();
    }
    const SpeedupTable table = table_of(speedups);
    double best = 0;
    for (std::size_t a = 1; a < table.size(); ++a) {
      for (std::size_t b = a + 1; b < table.size(); ++b) {
        for (std::size_t c = b + 1; c < table.size(); ++c) {
          best = std::max(best, reached(table, {a, b, c}));
        }
      }
    }
    EXPECT_GE(reached(table, choose_few(table, {}, 3, 0)), (1 - std::exp(-1)) * best - 1e-12);
  }
}

const std::vector<std::vector<std::size_t>> in_a_row = {{16}, {32}, {1024}, {2048}};

TEST(RuleOfADispatcher, calls_at_each_shape_the_kernel_that_is_faster_there) {
  const SpeedupTable table = table_of({{2, 2, 0.5, 0.5}, {0.5, 0.5, 2, 2}});
  const DispatchRule rule = make_rule(table, {}, in_a_row);
  EXPECT_EQ(rule.kind, DispatchKind::nearest_shape);
  EXPECT_THAT(rule.orders, ElementsAre(ElementsAre(1, 0, 2), ElementsAre(1, 0, 2),
                                       ElementsAre(2, 0, 1), ElementsAre(2, 0, 1)));
  // The shortest shape calls the anchor when it is left out.
  EXPECT_THAT(rule.left_out_nearest, DoubleNear(std::pow(2, 0.75), 1e-12));
}

TEST(RuleOfADispatcher, calls_the_anchor_where_nothing_is_faster) {
  const SpeedupTable table = table_of({{3, 3, 0.5, 0.5}});
  const DispatchRule rule = make_rule(table, {}, in_a_row);
  EXPECT_THAT(rule.orders, ElementsAre(ElementsAre(1, 0), ElementsAre(1, 0), ElementsAre(0, 1),
                                       ElementsAre(0, 1)));
  // Without a shape at which kernel 1 is fast, the others' generalist is the anchor, else kernel 1.
  EXPECT_THAT(rule.left_out_one, DoubleNear(std::sqrt(0.5), 1e-12));
  EXPECT_THAT(rule.left_out_nearest, DoubleNear(std::pow(3, 0.25), 1e-12));
}

TEST(RuleOfADispatcher, keeps_the_generalist_where_another_one_may_be_faster_by_chance) {
  // Kernel 2 is ahead by 1 % at the third shape, within both intervals.
  const SpeedupTable table = table_of({{2, 2, 2, 2}, {1.5, 1.5, 2.02, 1.5}});
  const DispatchRule rule = make_rule(table, {}, in_a_row);
  for (const auto& order : rule.orders) EXPECT_EQ(order.front(), 1);
}

TEST(RuleOfADispatcher, stays_with_the_anchor_where_a_mean_may_be_ahead_by_chance) {
  // 0.4 % ahead at each shape with an error of 1 %: an error of 0.5 % for the mean of four.
  const SpeedupTable table = table_of({{1.004, 1.004, 1.004, 1.004}});
  for (const auto& order : make_rule(table, {}, in_a_row).orders)
    EXPECT_THAT(order, ElementsAre(0, 1));
}

TEST(RuleOfADispatcher, serves_the_shape_that_takes_the_time) {
  // One kernel wins at three short shapes, another at the long one; no shape tells of another.
  const SpeedupTable table = table_of({{4, 4, 4, 0.5}, {0.9, 0.9, 0.9, 2}});
  const std::vector<std::vector<std::size_t>> lengths = {{16}, {17}, {18}, {19}};
  EXPECT_THAT(choose_few(table, {}, 1, 0.01), ElementsAre(1));
  const ShapeMean total{{{}, true}, {1, 1, 1, 1000}};
  EXPECT_THAT(choose_few(table, total, 1, 0.01), ElementsAre(2));
  EXPECT_EQ(make_rule(table_of({{4, 4, 4, 0.5}}), {}, lengths).orders.back().back(), 0U);
  EXPECT_EQ(make_rule(table_of({{4, 4, 4, 0.5}}), total, lengths).orders.front().back(), 0U);
  const ShapeMean weighed{{}, {1, 1, 1, 1000}};
  EXPECT_THAT(choose_few(table, weighed, 1, 0.01), ElementsAre(2));
}

TEST(RuleOfADispatcher, calls_one_kernel_everywhere_where_shapes_left_out_are_no_better_off) {
  // The best kernel at a shape says nothing about its neighbour.
  const SpeedupTable table = table_of({{2, 1.8, 2, 1.8}, {1, 2.2, 1, 2.2}});
  const DispatchRule rule = make_rule(table, {}, {{16}, {17}, {1024}, {1025}});
  EXPECT_EQ(rule.kind, DispatchKind::one_kernel);
  for (const auto& order : rule.orders) EXPECT_THAT(order, ElementsAre(1, 2, 0));
  EXPECT_GT(rule.left_out_one, rule.left_out_nearest);
}

TEST(RuleOfADispatcher, keeps_what_is_known_of_a_shape_that_has_no_neighbour) {
  // When the first shape is left out, both kinds choose badly for it.
  const SpeedupTable table = table_of({{4, 0.3, 0.3, 0.3}, {0.3, 4, 4, 4}});
  const DispatchRule rule = make_rule(table, {}, {{2048}, {16}, {32}, {64}});
  EXPECT_EQ(rule.kind, DispatchKind::nearest_shape);
  EXPECT_DOUBLE_EQ(rule.left_out_nearest, rule.left_out_one);
  EXPECT_EQ(rule.orders.front().front(), 1);
}

TEST(RuleOfADispatcher, calls_the_anchor_at_a_left_out_shape_that_the_others_tell_nothing_of) {
  // 64 and 256 are a factor of 4 from 16 and from 64; 4096 is 16 from 256; 16 is the shortest.
  const SpeedupTable table = table_of({{2, 2, 2, 0.2}});
  const DispatchRule rule = make_rule(table, {}, {{16}, {64}, {256}, {4096}});
  EXPECT_EQ(rule.reach, 4);
  EXPECT_THAT(rule.left_out_nearest, DoubleNear(std::sqrt(2), 1e-12));
  // One axis suffices: {256, 33} is 4.1 from {256, 8}, {16, 8} has the fewest rows.
  const DispatchRule wide = make_rule(table, {}, {{16, 8}, {64, 8}, {256, 8}, {256, 33}});
  EXPECT_THAT(wide.left_out_nearest, DoubleNear(std::sqrt(2), 1e-12));
}

TEST(RuleOfADispatcher, calls_the_anchor_also_where_one_kernel_is_called_at_all_known_shapes) {
  // Kernel 1 is twice as fast everywhere, but both end shapes call the anchor when left out.
  const DispatchRule rule = make_rule(table_of({{2, 2, 2, 2}}), {}, {{16}, {17}, {32}, {4096}});
  EXPECT_EQ(rule.kind, DispatchKind::one_kernel);
  EXPECT_THAT(rule.left_out_one, DoubleNear(std::sqrt(2), 1e-12));
}

TEST(RuleOfADispatcher, of_two_shapes_leaves_none_out) {
  const DispatchRule rule = make_rule(table_of({{2, 0.5}}), {}, {{16}, {1024}});
  EXPECT_EQ(rule.kind, DispatchKind::nearest_shape);
  EXPECT_EQ(rule.left_out_nearest, 0);
  EXPECT_THAT(rule.orders, ElementsAre(ElementsAre(1, 0), ElementsAre(0, 1)));
}

TEST(MeanOfADispatcher, weighs_shapes_without_a_weight_as_bench_shapes) {
  Task task;
  for (const Role role : {Role::test, Role::bench, Role::validation, Role::holdout}) {
    task.workloads.emplace_back().role = role;
    task.workloads.back().label = to_string(role);
  }
  task.mean.weights = {{"bench", 94}};
  Contenders timed;
  timed.anchor_ns = {10, 0};
  EXPECT_THAT(shape_mean(task, timed).parts, ElementsAre(94, 94));
  task.mean.weights["validation"] = 3;
  EXPECT_THAT(shape_mean(task, timed).parts, ElementsAre(94, 3));
  task.mean.total_time = true;
  EXPECT_THAT(shape_mean(task, timed).parts, ElementsAre(940, 30));  // the middle length
}

TEST(MeanOfADispatcher, counts_the_shapes_where_the_anchor_is_called) {
  DispatchDevice device;
  device.mean = {{{"short", 94}}, true};
  const auto check = [](const char* label, double speedup, double anchor_ns) {
    DispatchCheck made{label, "bench", "k", {speedup, {speedup, speedup}, ""}, {1, {1, 1}, ""}};
    if (anchor_ns > 0) made.opponents_ns["anchor"] = anchor_ns;
    return made;
  };
  device.checks = {check("short", 2, 10'000), check("long", 1, 5'000'000)};
  const DispatchMean bench = dispatch_means(device, "anchor").front();
  EXPECT_EQ(bench.name, "total time of 2");
  EXPECT_NEAR(bench.dispatcher.speedup, 5.94 / 5.47, 1e-12);
  device.checks.back().opponents_ns.clear();
  EXPECT_EQ(dispatch_means(device, "anchor").front().dispatcher.speedup, 0);
}

}  // namespace
}  // namespace ke
