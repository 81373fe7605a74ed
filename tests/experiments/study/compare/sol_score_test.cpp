#include "experiments/study/compare/sol_score.hpp"

#include <gtest/gtest.h>

#include "tests/archive/timed_run.hpp"

namespace ke {
namespace {

std::optional<double> score(const test::TemporaryRun& run, const std::string& baseline,
                            const std::string& role = "bench") {
  const auto reader = RunReader::open(run.path());
  EXPECT_TRUE(reader) << reader.error().message;
  return *sol_score_of(**reader, baseline, role);
}

TEST(SolScore, is_half_at_the_baseline_and_one_at_the_limit) {
  EXPECT_EQ(sol_score(100, 100, 20), 0.5);
  EXPECT_EQ(sol_score(20, 100, 20), 1);
  EXPECT_EQ(sol_score(10, 100, 20), 1) << "below the limit";
  EXPECT_DOUBLE_EQ(sol_score(60, 100, 20), 2.0 / 3);
  EXPECT_DOUBLE_EQ(sol_score(260, 100, 20), 0.25);
  EXPECT_EQ(sol_score(20, 20, 20), 1);
  EXPECT_EQ(sol_score(21, 20, 20), 0);
}

TEST(SolScore, takes_the_longer_of_memory_and_arithmetic) {
  test::TemporaryRun run;
  write_timed_run(run);
  EXPECT_FALSE(score(run, "anchor")) << "of an unknown number of cores";
  ASSERT_TRUE(run.store().describe_task({{"threads", "1"}}));
  // 4,000 bytes at 100 a nanosecond are 40 ns; 1,000 operations at 5e10 a second are 20 ns. The
  // champion takes 200 ns, the anchor 1,900, naive 2,100.
  EXPECT_DOUBLE_EQ(score(run, "anchor").value(), 1 / (1 + 160.0 / 1860));
  EXPECT_DOUBLE_EQ(score(run, "naive").value(), 1 / (1 + 160.0 / 2060));
  ASSERT_TRUE(run.store().describe_roofline(
      {{"n=8", "bench", 4'000, 5'000}, {"n=9", "holdout", 8'000, 0}}, {}));
  EXPECT_DOUBLE_EQ(score(run, "anchor").value(), 1 / (1 + 100.0 / 1800)) << "100 ns of arithmetic";
  ASSERT_TRUE(run.store().describe_task({{"threads", "4"}}));
  EXPECT_DOUBLE_EQ(score(run, "anchor").value(), 1 / (1 + 160.0 / 1860)) << "on four cores 25 ns";
}

TEST(SolScore, is_none_without_a_measured_limit_or_a_verified_time) {
  test::TemporaryRun run;
  write_timed_run(run);
  EXPECT_FALSE(score(run, "library"));
  EXPECT_FALSE(score(run, "anchor", "holdout"));
  ASSERT_TRUE(run.store().describe_roofline({}, {}));
  EXPECT_FALSE(score(run, "anchor"));
}

}  // namespace
}  // namespace ke
