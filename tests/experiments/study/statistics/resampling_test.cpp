// Coverage of intervals, family-wise error of null sweeps and planned power, simulated with fixed
// seeds. std::mt19937_64 is identical everywhere; the standard distributions are not.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "experiments/study/statistics/hierarchical_bootstrap.hpp"
#include "experiments/study/statistics/holm.hpp"
#include "experiments/study/statistics/iqm.hpp"
#include "experiments/study/statistics/power.hpp"
#include "experiments/study/statistics/wilcoxon.hpp"
#include "fitness/timing/students_t.hpp"

namespace ke::statistics {
namespace {

class Source {
 public:
  explicit Source(std::uint64_t seed) : engine_(seed) {}
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }
  double normal() {
    return std::sqrt(-2.0 * std::log(uniform())) * std::cos(2.0 * std::numbers::pi * uniform());
  }
  RandomIndex index() {
    return [this](std::size_t bound) {
      return static_cast<std::size_t>(uniform() * static_cast<double>(bound));
    };
  }

 private:
  std::mt19937_64 engine_;
};

// Kernels with individual effects (sd 1) around `mean`, two devices (sd 0.5), five seeds (sd 0.7).
Hierarchy study(Source& source, std::size_t kernels, double mean) {
  Hierarchy values(kernels);
  for (auto& kernel : values) {
    const double effect = mean + source.normal();
    kernel.resize(2);
    for (auto& device : kernel) {
      const double level = effect + 0.5 * source.normal();
      for (int seed = 0; seed < 5; ++seed) device.push_back(level + 0.7 * source.normal());
    }
  }
  return values;
}

double coverage(std::size_t kernels, int studies, std::uint64_t seed) {
  Source source(seed);
  int covered = 0;
  for (int i = 0; i < studies; ++i) {
    const auto interval =
        hierarchical_bootstrap(study(source, kernels, 0.4), source.index(), {.repetitions = 300});
    covered += interval.low <= 0.4 && 0.4 <= interval.high;
  }
  return static_cast<double>(covered) / studies;
}

TEST(HierarchicalBootstrap, intervals_cover_at_their_level_with_10_and_30_kernels) {
  EXPECT_NEAR(coverage(10, 800, 1), 0.95, 0.02);
  EXPECT_NEAR(coverage(30, 300, 2), 0.95, 0.02);
}

TEST(HierarchicalBootstrap, many_seeds_do_not_stand_in_for_kernels) {
  Source source(3);
  Hierarchy few{{std::vector<double>(500, 1.0)},
                {std::vector<double>(500, 2.0)},
                {std::vector<double>(500, 4.0)}};
  const auto interval =
      hierarchical_bootstrap(few, source.index(), {.method = BootstrapMethod::percentile});
  EXPECT_EQ(interval.units, 3);
  EXPECT_NEAR(interval.estimate, 7.0 / 3.0, 1e-12);
  EXPECT_EQ(interval.low, 1.0);
  EXPECT_EQ(interval.high, 4.0);
}

TEST(HierarchicalBootstrap, one_kernel_speaks_of_its_devices_or_seeds) {
  Source source(4);
  const Hierarchy devices{{{1.0, 2.0}, {3.0}, {4.0}}};
  EXPECT_EQ(hierarchical_bootstrap(devices, source.index()).units, 3);
  const Hierarchy seeds{{{1.0, 2.0, 3.0, 4.0, 5.0}}};
  const auto interval = hierarchical_bootstrap(seeds, source.index());
  EXPECT_EQ(interval.units, 5);
  EXPECT_LT(interval.low, 3.0);
  EXPECT_GT(interval.high, 3.0);
  const Hierarchy alone{{{1.0}}};
  EXPECT_TRUE(std::isinf(hierarchical_bootstrap(alone, source.index()).high));
}

TEST(HierarchicalBootstrap, seeds_can_be_reduced_by_an_interquartile_mean) {
  Source source(5);
  const Hierarchy values{{{1.0, 2.0, 3.0, 1000.0}}, {{2.0, 3.0, 4.0, -900.0}}};
  const auto interval = hierarchical_bootstrap(
      values, source.index(),
      {.reduce_seeds = [](auto seeds) { return interquartile_mean(seeds); }});
  EXPECT_NEAR(interval.estimate, 2.5, 1e-12);
}

TEST(HierarchicalBootstrap, equal_streams_give_equal_intervals) {
  Source data(6), one(7), same(7), other(8);
  const auto values = study(data, 12, 0.0);
  const auto first = hierarchical_bootstrap(values, one.index());
  EXPECT_EQ(first.low, hierarchical_bootstrap(values, same.index()).low);
  EXPECT_NE(first.low, hierarchical_bootstrap(values, other.index()).low);
}

TEST(HierarchicalBootstrap, values_without_spread_give_a_point) {
  Source source(9);
  const Hierarchy values(4, {{2.0, 2.0}});
  const auto interval = hierarchical_bootstrap(values, source.index());
  EXPECT_EQ(interval.low, 2.0);
  EXPECT_EQ(interval.high, 2.0);
}

// A sweep of 7 arms against a reference on 10 kernels without differences, rounded to create ties.
TEST(NullSweeps, reject_at_most_five_percent_family_wise) {
  Source source(10);
  int rejected = 0;
  for (int sweep = 0; sweep < 1000; ++sweep) {
    std::vector<double> reference(10), p_values;
    for (double& value : reference) value = std::round(4.0 * source.normal());
    for (int arm = 0; arm < 7; ++arm) {
      std::vector<double> differences;
      for (double value : reference)
        differences.push_back(std::round(4.0 * source.normal()) - value);
      p_values.push_back(wilcoxon_signed_rank(differences).p);
    }
    const auto adjusted = holm_adjusted(p_values);
    rejected += *std::min_element(adjusted.begin(), adjusted.end()) <= 0.05;
  }
  EXPECT_LE(rejected, 50);
  EXPECT_GE(rejected, 5);
}

std::vector<double> pilot(Source& source) {
  std::vector<double> differences;
  for (int i = 0; i < 200; ++i) differences.push_back(source.normal());
  return differences;
}

// On normal data Wilcoxon needs 3 / pi more pairs than the t test: the normal-theory formula
// n = (z_0.975 + z_0.8)^2 / shift^2 x pi / 3 gives 33.7 for a shift of half a deviation.
TEST(Power, planned_pairs_match_the_closed_form) {
  Source source(11);
  const auto differences = pilot(source);
  const int pairs = pairs_for_power(differences, 0.8, 200, {.shift = 0.5}, source.index());
  EXPECT_NEAR(pairs, 34, 6);
}

TEST(Power, no_shift_is_found_at_most_at_the_level) {
  Source source(12);
  const std::vector<double> symmetric{-3.0, -2.0, -1.0, -0.5, 0.5, 1.0, 2.0, 3.0};
  EXPECT_LE(paired_power(symmetric, 12, {.repetitions = 4000}, source.index()), 0.06);
}

TEST(Power, three_pairs_never_find_anything) {
  Source source(13);
  EXPECT_EQ(paired_power(pilot(source), 3, {.shift = 50.0}, source.index()), 0.0);
  EXPECT_EQ(pairs_for_power(pilot(source), 0.8, 5, {.shift = 50.0}, source.index()), 0);
  EXPECT_EQ(pairs_for_power(pilot(source), 0.8, 64, {.shift = 50.0}, source.index()), 6);
}

}  // namespace
}  // namespace ke::statistics
