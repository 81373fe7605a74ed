// Counters of Nsight Compute on a GPU, through the evaluator.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/feedback_record.hpp"
#include "fitness/gpu/driver.hpp"
#include "fitness/gpu/nsight_compute.hpp"
#include "tests/experiments/sanitize_job.hpp"
#include "tests/support/start_cuda.hpp"

namespace ke {
namespace {

using testing::Contains;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::StartsWith;

TEST(GpuProfile, a_champion_is_told_what_limits_it_or_why_nobody_knows) {
  if (const auto driver = gpu::load_driver(); !driver) GTEST_SKIP() << driver.error().message;
  if (const auto tool = gpu::find_nsight_compute(); !tool) GTEST_SKIP() << tool.error().message;
  const auto task = load_task("recsys/softmax", "");
  ASSERT_TRUE(task) << task.error().message;
  const auto evaluator = test::start_cuda(*task);
  ASSERT_TRUE(evaluator) << evaluator.error().message;
  const auto seed = make_seed(**task, "naive", *(*task)->kernel_source("naive"));
  ASSERT_TRUE(seed) << seed.error().message;
  const Fact fact = test::examined(**evaluator, seed->kernel);
  for (const std::string& flag : fact.policy_flags) {
    if (flag.starts_with(unprofiled_flag)) GTEST_SKIP() << flag;
  }
  EXPECT_THAT(fact.measures, Contains(Key("ncu_dram_pct")));
  EXPECT_GT(fact.measures.at("ncu_time_ns"), 0);
  EXPECT_THAT(fact.measures.at("ncu_registers"), Ge(8));
  const auto sentences = profile_of(fact.feedback);
  ASSERT_THAT(sentences, Not(IsEmpty()));
  EXPECT_THAT(sentences.front(), StartsWith("At "));
  EXPECT_THAT(sentences.front(), HasSubstr("of peak"));
}

}  // namespace
}  // namespace ke
