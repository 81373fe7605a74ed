#include "fitness/timing/contention.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ke {
namespace {

std::vector<ClockSample> agreeing(int count) {
  return std::vector<ClockSample>(static_cast<std::size_t>(count), {2'000'000, 1'995'000});
}

TEST(Contention, clocks_that_agree_are_no_sign) {
  EXPECT_EQ(clock_disagreement(agreeing(20)), 0.0);
  EXPECT_EQ(clock_disagreement({}), 0.0);
}

TEST(Contention, preempted_samples_are_counted) {
  auto samples = agreeing(20);
  for (std::size_t i = 0; i < 5; ++i) samples[i].wall_ns = 3'000'000;
  EXPECT_DOUBLE_EQ(clock_disagreement(samples), 0.25);
}

TEST(Contention, cpu_time_without_wall_time_disagrees_too) {
  const std::vector<ClockSample> hidden_threads(3, {1'000'000, 2'000'000});
  EXPECT_DOUBLE_EQ(clock_disagreement(hidden_threads), 1.0);
  EXPECT_DOUBLE_EQ(clock_disagreement(hidden_threads, 0.05, 20'000, 2), 0.0);
}

TEST(Contention, short_gaps_are_within_the_slack) {
  const std::vector<ClockSample> short_samples(3, {100'000, 85'000});
  EXPECT_EQ(clock_disagreement(short_samples), 0.0);
  EXPECT_EQ(clock_disagreement(short_samples, 0.05, 1'000), 1.0);
}

TEST(Contention, outliers_are_only_slow_ones) {
  const std::vector<std::int64_t> samples{100, 101, 99, 100, 102, 98, 100, 500, 10, 101};
  EXPECT_DOUBLE_EQ(outlier_share(samples), 0.1);
  EXPECT_EQ(outlier_share(std::vector<std::int64_t>{1, 2, 900}), 0.0);
}

// SciPy 1.10.1: stats.theilslopes(samples)[0] = 1.75, median 109.
TEST(Contention, drift_is_the_theil_sen_slope_over_the_series) {
  const std::vector<std::int64_t> samples{100, 103, 101, 108, 107, 160, 110, 113, 111, 118};
  EXPECT_NEAR(relative_drift(samples), 1.75 * 9.0 / 109.0, 1e-15);
}

TEST(Contention, names_the_first_broken_limit) {
  auto samples = agreeing(20);
  EXPECT_EQ(detect_contention(samples), Contention::none);
  for (int i = 0; i < 20; ++i) {
    samples[static_cast<std::size_t>(i)].wall_ns += 20'000 * i;
    samples[static_cast<std::size_t>(i)].cpu_ns += 20'000 * i;
  }
  EXPECT_EQ(detect_contention(samples), Contention::drift);
  for (std::size_t i = 0; i < 5; ++i) samples[3 * i].cpu_ns = samples[3 * i].wall_ns *= 3;
  EXPECT_EQ(detect_contention(samples), Contention::outliers);
  for (std::size_t i = 0; i < 5; ++i) samples[i].cpu_ns = 1000;
  EXPECT_EQ(detect_contention(samples), Contention::clocks_disagree);
  EXPECT_EQ(name_of(Contention::none), "none");
  EXPECT_EQ(name_of(Contention::clocks_disagree), "clocks_disagree");
  EXPECT_EQ(name_of(Contention::outliers), "outliers");
  EXPECT_EQ(name_of(Contention::drift), "drift");
}

}  // namespace
}  // namespace ke
