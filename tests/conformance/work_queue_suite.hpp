#pragma once
// Behaviour of every WorkQueue. A fixture gives `WorkQueue& queue()`, which gives a job up after
// `most_attempts` of them.

#include <gtest/gtest.h>

#include "core/work_queue.hpp"
#include "tests/conformance/samples.hpp"

namespace ke::test {

template <typename Fixture>
class WorkQueueSuite : public testing::Test {
 protected:
  using Time = WorkQueue::Time;
  WorkQueue& queue() { return fixture_.queue(); }
  std::optional<Lease> claim(int now, int lease = 10) {
    return *queue().claim({"cpu"}, Time{now}, Time{lease});
  }
  Fixture fixture_;
};

TYPED_TEST_SUITE_P(WorkQueueSuite);

TYPED_TEST_P(WorkQueueSuite, gives_jobs_by_age_once) {
  ASSERT_TRUE(this->queue().push(sample_job(2)));
  ASSERT_TRUE(this->queue().push(sample_job(1)));
  ASSERT_TRUE(this->queue().push(sample_job(2)));
  EXPECT_EQ(this->claim(0)->job.key, sample_job(2).key);
  EXPECT_EQ(encode(this->claim(0)->job), encode(sample_job(1)));
  EXPECT_FALSE(this->claim(0));
}

TYPED_TEST_P(WorkQueueSuite, matches_needs_with_capabilities) {
  Job job = sample_job(1);
  job.needs = {"cpu", "avx512f"};
  ASSERT_TRUE(this->queue().push(job));
  ASSERT_TRUE(this->queue().push(sample_job(2)));
  EXPECT_EQ(this->claim(0)->job.key, sample_job(2).key);
  const auto able =
      *this->queue().claim({"avx512f", "x", "cpu"}, WorkQueue::Time{0}, WorkQueue::Time{10});
  ASSERT_TRUE(able);
  EXPECT_EQ(able->job.key, job.key);
}

TYPED_TEST_P(WorkQueueSuite, a_dead_workers_job_is_done_by_another_and_its_late_answer_dropped) {
  ASSERT_TRUE(this->queue().push(sample_job(1)));
  const auto first = this->claim(0);
  EXPECT_FALSE(this->claim(9));
  const auto second = this->claim(10);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(*this->queue().complete(first->id, sample_fact(1), WorkQueue::Time{11}));
  EXPECT_TRUE(*this->queue().complete(second->id, sample_fact(1), WorkQueue::Time{12}));
  EXPECT_EQ(this->queue().take_finished()->size(), 1u);
  EXPECT_TRUE(this->queue().take_finished()->empty());
}

TYPED_TEST_P(WorkQueueSuite, a_heartbeat_extends_only_a_live_lease) {
  ASSERT_TRUE(this->queue().push(sample_job(1)));
  const auto lease = this->claim(0);
  using Ms = WorkQueue::Time;
  EXPECT_TRUE(*this->queue().heartbeat(lease->id, Ms{9}, Ms{10}));
  EXPECT_FALSE(this->claim(15));
  EXPECT_FALSE(*this->queue().heartbeat(lease->id, Ms{19}, Ms{10}));
  EXPECT_FALSE(*this->queue().heartbeat(12345, Ms{1}, Ms{10}));
}

TYPED_TEST_P(WorkQueueSuite, a_finished_job_is_not_queued_again_but_a_cancelled_one_is) {
  ASSERT_TRUE(this->queue().push(sample_job(1)));
  const auto lease = this->claim(0);
  ASSERT_TRUE(*this->queue().complete(lease->id, sample_fact(1), WorkQueue::Time{1}));
  ASSERT_TRUE(this->queue().push(sample_job(1)));
  EXPECT_FALSE(this->claim(2));
  ASSERT_TRUE(this->queue().push(sample_job(2)));
  ASSERT_TRUE(this->queue().cancel(sample_job(2).key));
  EXPECT_FALSE(this->claim(2));
  ASSERT_TRUE(this->queue().push(sample_job(2)));
  EXPECT_TRUE(this->claim(2));
}

TYPED_TEST_P(WorkQueueSuite, a_job_given_back_is_free_at_once_and_counts_no_attempt) {
  ASSERT_TRUE(this->queue().push(sample_job(1)));
  for (int i = 0; i < 2 * TypeParam::most_attempts; ++i) {
    const auto lease = this->claim(0);
    ASSERT_TRUE(lease);
    EXPECT_TRUE(*this->queue().give_back(lease->id));
    EXPECT_FALSE(*this->queue().give_back(lease->id));
  }
  EXPECT_TRUE(this->queue().take_finished()->empty());
}

TYPED_TEST_P(WorkQueueSuite, a_job_that_outlives_its_workers_is_given_up_as_lost) {
  ASSERT_TRUE(this->queue().push(sample_job(1)));
  for (int i = 0; i < TypeParam::most_attempts; ++i) ASSERT_TRUE(this->claim(10 * i)) << i;
  EXPECT_FALSE(this->claim(10 * TypeParam::most_attempts - 1));
  EXPECT_TRUE(this->queue().take_finished()->empty());
  EXPECT_FALSE(this->claim(10 * TypeParam::most_attempts));
  const auto facts = *this->queue().take_finished();
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(encode(facts[0]), encode(abandoned_fact(sample_job(1).key, TypeParam::most_attempts)));
  EXPECT_TRUE(this->queue().take_finished()->empty());
}

TYPED_TEST_P(WorkQueueSuite, a_job_whose_reference_failed_can_be_asked_again) {
  ASSERT_TRUE(this->queue().push(sample_job(1)));
  Fact fact = sample_fact(1);
  fact.reason = reference_failed;
  ASSERT_TRUE(*this->queue().complete(this->claim(0)->id, fact, WorkQueue::Time{1}));
  EXPECT_EQ(this->queue().take_finished()->size(), 1u);
  ASSERT_TRUE(this->queue().push(sample_job(1)));
  EXPECT_TRUE(this->claim(2));
}

REGISTER_TYPED_TEST_SUITE_P(WorkQueueSuite, gives_jobs_by_age_once, matches_needs_with_capabilities,
                            a_dead_workers_job_is_done_by_another_and_its_late_answer_dropped,
                            a_heartbeat_extends_only_a_live_lease,
                            a_finished_job_is_not_queued_again_but_a_cancelled_one_is,
                            a_job_given_back_is_free_at_once_and_counts_no_attempt,
                            a_job_that_outlives_its_workers_is_given_up_as_lost,
                            a_job_whose_reference_failed_can_be_asked_again);

}  // namespace ke::test
