#include "core/workload_mean.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/search/role_figure.hpp"

namespace ke {
namespace {

using Numbers = std::vector<double>;

double mean_of_speedups(const WorkloadMean& rule, Numbers speedups, const Numbers& parts = {}) {
  for (double& one : speedups) one = std::log(one);
  return std::exp(rule.of(speedups, parts).log);
}

TEST(WorkloadMean, is_geometric_and_weighs_all_the_same_if_nothing_is_said) {
  EXPECT_DOUBLE_EQ(mean_of_speedups({}, {2, 8}), 4);
  const MeanOfLogs mean = WorkloadMean().of(Numbers{0, 1, 2, 3});
  EXPECT_DOUBLE_EQ(mean.error(Numbers{0.1, 0.1, 0.1, 0.1}), 0.05);
}

TEST(WorkloadMean, of_weights_is_the_root_of_the_weighted_product) {
  const WorkloadMean rule{{{"small", 3}}, false};
  const Numbers parts = {rule.part("small", 5), rule.part("large", 700)};
  EXPECT_EQ(parts, (Numbers{3, 1}));
  EXPECT_DOUBLE_EQ(mean_of_speedups(rule, {2, 8}, parts), std::pow(2 * 2 * 2 * 8, 0.25));
}

TEST(WorkloadMean, by_total_time_is_the_quotient_of_the_totals) {
  const WorkloadMean rule{{{"small", 94}}, true};
  const Numbers parts = {rule.part("small", 100), rule.part("large", 1000)};
  // The opponent takes 94 * 100 + 1000 ns, the kernel 94 * 50 + 2000 ns.
  EXPECT_NEAR(mean_of_speedups(rule, {2, 0.5}, parts), 10400.0 / 6700, 1e-12);
}

TEST(WorkloadMean, errors_reach_it_by_its_derivatives) {
  constexpr double step = 1e-6;
  const Numbers logs = {0.3, -0.7, 1.2}, parts = {3, 10, 0.5};
  for (const bool total_time : {false, true}) {
    const WorkloadMean rule{{}, total_time};
    for (std::size_t i = 0; i < logs.size(); ++i) {
      Numbers up = logs, down = logs, errors(logs.size(), 0);
      up[i] += step;
      down[i] -= step;
      errors[i] = 1;
      const double slope = (rule.of(up, parts).log - rule.of(down, parts).log) / (2 * step);
      EXPECT_NEAR(rule.of(logs, parts).error(errors), slope, 1e-8) << total_time << " " << i;
    }
  }
}

TEST(WorkloadMean, of_a_role_takes_the_workloads_of_that_role) {
  const auto timing = [](const char* label, const char* role, double speedup, double opponent_ns) {
    WorkloadTiming made;
    made.workload = label;
    made.role = role;
    made.speedup = speedup;
    made.ci = {speedup, speedup};
    made.opponent_ns = opponent_ns;
    return made;
  };
  Comparison comparison;
  comparison.workloads = {timing("a", "bench", 2, 100), timing("b", "bench", 0.5, 1000),
                          timing("c", "holdout", 9, 1)};
  EXPECT_DOUBLE_EQ(role_figure(comparison, "bench", {}).speedup, 1);
  const RoleFigure figure = role_figure(comparison, "bench", {{{"a", 94}}, true});
  EXPECT_NEAR(figure.speedup, 10400.0 / 6700, 1e-12);
  EXPECT_NEAR(figure.ci.low, figure.speedup, 1e-12);
  EXPECT_EQ(figure.count, 2);
  EXPECT_EQ(role_figure(comparison, "validation", {}).count, 0);
}

}  // namespace
}  // namespace ke
