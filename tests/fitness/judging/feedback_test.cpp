#include "fitness/judging/feedback.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/feedback_record.hpp"
#include "tests/fitness/content/sample_tasks.hpp"

namespace ke {
namespace {

WorkloadTiming timed_as(const std::string& workload, const std::string& role) {
  WorkloadTiming timing;
  timing.workload = workload;
  timing.role = role;
  timing.candidate_ns = 2000;
  timing.opponent_ns = 3000;
  timing.floor_ns = 500;
  timing.speedup = 1.5;
  timing.ci = {1.4, 1.6};
  return timing;
}

TEST(Feedback, tells_times_at_bench_and_validation_and_nothing_of_holdout) {
  const Task task = sample::task(sample::softmax_text());
  Fact fact;
  fact.verdict = Verdict::ok;
  fact.comparison.emplace();
  fact.comparison->workloads = {timed_as("rows=64 cols=128", "bench"),
                                timed_as("rows=7 cols=9", "validation"),
                                timed_as("rows=5 cols=77", "holdout")};
  const std::string text = feedback_of({&fact, nullptr, nullptr, -1, &task, "anchor"});
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("cols=77")));
  const auto timings = timings_of(text);
  ASSERT_EQ(timings.size(), 2u);
  EXPECT_EQ(timings[0].role, "bench");
  EXPECT_EQ(timings[0].opponent_time, 3000);
  EXPECT_EQ(timings[0].floor, 500);
  EXPECT_EQ(timings[1].role, "validation");
}

TEST(Feedback, of_a_task_without_costs_names_no_rates_and_no_limiter) {
  Task task = sample::task(sample::softmax_text());
  task.bytes = task.flops = *Expression::parse("0");
  Fact fact;
  fact.verdict = Verdict::ok;
  fact.comparison.emplace();
  fact.comparison->workloads = {timed_as("rows=64 cols=128", "bench")};
  fact.comparison->workloads.front().floor_ns = 0;
  const std::string text = feedback_of({&fact, nullptr, nullptr, -1, &task, "anchor"});
  for (const char* key : {"gb_per_s", "gflops", "limiter"}) {
    EXPECT_THAT(text, testing::Not(testing::HasSubstr(key)));
  }
  EXPECT_THAT(text, testing::HasSubstr("\"ns\":2000"));
}

}  // namespace
}  // namespace ke
