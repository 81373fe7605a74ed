// An evaluator whose jobs are answered through a queue.

#include "core/queue_evaluator.hpp"

#include <gtest/gtest.h>

#include "tests/conformance/samples.hpp"
#include "tests/support/memory_work_queue.hpp"

namespace ke::test {
namespace {

using Ms = std::chrono::milliseconds;

struct QueueEvaluatorTest : testing::Test {
  /// The oldest job that this device can do, done.
  void answer(std::size_t device) {
    const auto lease = *queue.claim({"cpu", device_capability(device)}, Ms(0), Ms(10));
    ASSERT_TRUE(lease);
    Fact fact = sample_fact(1);
    fact.key = lease->job.key;
    ASSERT_TRUE(*queue.complete(lease->id, fact, Ms(1)));
  }
  MemoryWorkQueue queue;
  int waits = 0;
  QueueEvaluator evaluator{{EvaluatorInfo{}, EvaluatorInfo{}}, queue, [this](Ms) { ++waits; }};
};

TEST_F(QueueEvaluatorTest, a_job_goes_to_workers_of_its_device_and_comes_back_as_a_fact) {
  Job job = sample_job(1);
  job.device = 1;
  ASSERT_TRUE(evaluator.submit(job));
  EXPECT_FALSE(*queue.claim({"cpu", device_capability(0)}, Ms(0), Ms(10)));
  answer(1);
  const auto facts = evaluator.poll(Ms(0));
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(facts[0].key, job.key);
  EXPECT_EQ(evaluator.open(), 0u);
}

TEST_F(QueueEvaluatorTest, evaluators_get_the_job_without_the_need_that_routed_it) {
  Job job = sample_job(1);
  ASSERT_TRUE(evaluator.submit(job));
  const auto lease = *queue.claim({"cpu", device_capability(0)}, Ms(0), Ms(10));
  EXPECT_EQ(encode(without_device_need(lease->job)), encode(job));
}

TEST_F(QueueEvaluatorTest, facts_that_nobody_asked_for_in_this_session_are_dropped) {
  Job job = sample_job(1);
  job.needs.push_back(device_capability(0));
  ASSERT_TRUE(queue.push(job));
  answer(0);
  ASSERT_TRUE(evaluator.submit(sample_job(2)));
  EXPECT_TRUE(evaluator.poll(Ms(0)).empty());
  EXPECT_EQ(evaluator.open(), 1u);
}

TEST_F(QueueEvaluatorTest, waits_no_longer_than_it_is_told_and_not_at_all_without_open_jobs) {
  EXPECT_TRUE(evaluator.poll(Ms(50)).empty());
  EXPECT_EQ(waits, 0);
  ASSERT_TRUE(evaluator.submit(sample_job(1)));
  EXPECT_TRUE(evaluator.poll(Ms(7)).empty());
  EXPECT_EQ(waits, 3);  // 1 + 2 + 4 ms
}

TEST_F(QueueEvaluatorTest, a_cancelled_job_is_taken_out_of_the_queue) {
  ASSERT_TRUE(evaluator.submit(sample_job(1)));
  evaluator.cancel(sample_job(1).key);
  EXPECT_FALSE(*queue.claim({"cpu", device_capability(0)}, Ms(0), Ms(10)));
}

TEST(IdlePause, grows_with_the_number_of_workers_and_is_spread_evenly) {
  for (const std::int64_t workers : {1, 100}) {
    double sum = 0;
    for (std::int64_t turn = 0; turn < 1000; ++turn) {
      const auto pause = idle_pause(workers, 7, turn);
      EXPECT_GE(pause.count(), 0);
      EXPECT_LE(pause.count(), workers);
      sum += static_cast<double>(pause.count());
    }
    EXPECT_NEAR(sum / 1000, static_cast<double>(workers) / 2,
                0.02 * static_cast<double>(workers) + 0.02);
  }
}

}  // namespace
}  // namespace ke::test
