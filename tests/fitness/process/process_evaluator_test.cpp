#include "fitness/process/process_evaluator.hpp"

#include <gtest/gtest.h>

#include "core/random_stream.hpp"
#include "core/search/job_maker.hpp"
#include "fitness/function/function_evaluator.hpp"
#include "tests/conformance/evaluator_conformance.hpp"

namespace ke {
namespace {

Job function_job(int number) {
  const FunctionOptions options;
  const Seed seed = function_seed(options);
  RandomStream random({1, 0, number, 0, Purpose::test});
  const Kernel kernel = *seed.space->sample(seed.kernel, random);
  EvaluatorInfo info;
  info.toolchain = "function/1";
  return JobMaker(info, sha256("task")).screen(kernel, kernel.genome_hash(), 0);
}

std::vector<std::string> worker(const std::string& lanes, const std::string& delay_us) {
  return {std::string(KE_BINARY_DIR) + "/function_worker", lanes, delay_us};
}

INSTANTIATE_TEST_SUITE_P(InProcess, EvaluatorConformance,
                         testing::Values(EvaluatorCase{"one_lane",
                                                       [] { return make_function_evaluator({}); },
                                                       function_job},
                                         EvaluatorCase{"four_lanes",
                                                       [] {
                                                         FunctionOptions options;
                                                         options.lanes = 4;
                                                         options.delay_us = 2000;
                                                         return make_function_evaluator(options);
                                                       },
                                                       function_job}),
                         [](const auto& c) { return c.param.name; });

INSTANTIATE_TEST_SUITE_P(
    SecondProcess, EvaluatorConformance,
    testing::Values(EvaluatorCase{"one_lane",
                                  [] { return *start_process_evaluator(worker("1", "0")); },
                                  function_job},
                    EvaluatorCase{"four_lanes",
                                  [] { return *start_process_evaluator(worker("4", "2000")); },
                                  function_job}),
    [](const auto& c) { return c.param.name; });

TEST(ProcessEvaluator, gives_the_same_facts_as_the_evaluator_that_it_wraps) {
  const auto here = make_function_evaluator({});
  const auto there = *start_process_evaluator(worker("2", "100"));
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(here->submit(function_job(i)));
    ASSERT_TRUE(there->submit(function_job(i)));
    const auto want = here->poll(std::chrono::seconds(5));
    const auto got = there->poll(std::chrono::seconds(5));
    ASSERT_EQ(want.size(), 1u);
    ASSERT_EQ(got.size(), 1u);
    EXPECT_EQ(encode(got[0]), encode(want[0]));
  }
}

TEST(ProcessEvaluator, a_dead_worker_loses_its_jobs_and_is_started_anew) {
  // `head -c` echoes our own frames and ends without introducing itself.
  const auto mute = start_process_evaluator({"head", "-c", "1"}, std::chrono::milliseconds(300));
  ASSERT_FALSE(mute);
  EXPECT_NE(mute.error().message.find("'head'"), std::string::npos);

  // Kills itself while the first job is in flight, in whichever process serves it.
  const std::string kill_soon =
      "( sleep 0.3; kill -9 $$ ) & exec " + worker("1", "0")[0] + " 1 900000";
  const auto evaluator = *start_process_evaluator({"sh", "-c", kill_soon});
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(evaluator->submit(function_job(i)));
  std::size_t lost = 0;
  std::size_t answered = 0;
  for (int i = 0; i < 400 && lost + answered < 4; ++i) {
    for (const Fact& fact : evaluator->poll(std::chrono::milliseconds(20))) {
      lost += fact.verdict == Verdict::lost && fact.reason == "worker_died" ? 1 : 0;
      answered += fact.verdict == Verdict::ok ? 1 : 0;
    }
  }
  EXPECT_EQ(lost + answered, 4u);
  EXPECT_GE(lost, 1u);
  EXPECT_TRUE(evaluator->submit(function_job(9)));
}

TEST(ProcessEvaluator, a_program_that_is_not_there_is_a_clear_error) {
  const auto missing = start_process_evaluator({"/no/such/program"});
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("/no/such/program"), std::string::npos);
}

}  // namespace
}  // namespace ke
