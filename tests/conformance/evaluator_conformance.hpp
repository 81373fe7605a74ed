#pragma once
// Conformance suite for every evaluator, independent of device and method.

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <set>

#include "core/evaluator.hpp"

namespace ke {

/// One implementation under test: a new evaluator, and jobs by number that it can do.
struct EvaluatorCase {
  std::string name;
  std::function<std::unique_ptr<Evaluator>()> make;
  std::function<Job(int)> job;
};

class EvaluatorConformance : public testing::TestWithParam<EvaluatorCase> {
 protected:
  /// Collects facts by key until there are `count` or 20 s have passed.
  static std::map<Digest, Fact> collect(Evaluator& evaluator, std::size_t count) {
    std::map<Digest, Fact> facts;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (facts.size() < count && std::chrono::steady_clock::now() < deadline) {
      for (Fact& fact : evaluator.poll(std::chrono::milliseconds(20))) {
        EXPECT_TRUE(facts.emplace(fact.key, fact).second) << "a fact came twice";
      }
    }
    return facts;
  }
};

TEST_P(EvaluatorConformance, answers_every_job_once_under_its_key) {
  const auto evaluator = GetParam().make();
  std::set<Digest> keys;
  for (int i = 0; i < 20; ++i) {
    const Job job = GetParam().job(i);
    keys.insert(job.key);
    ASSERT_TRUE(evaluator->submit(job));
  }
  const auto facts = collect(*evaluator, keys.size());
  EXPECT_EQ(facts.size(), keys.size());
  for (const Digest& key : keys) EXPECT_TRUE(facts.contains(key));
  EXPECT_TRUE(evaluator->poll(std::chrono::milliseconds(50)).empty());
}

TEST_P(EvaluatorConformance, a_key_in_flight_is_joined) {
  const auto evaluator = GetParam().make();
  ASSERT_TRUE(evaluator->submit(GetParam().job(1)));
  ASSERT_TRUE(evaluator->submit(GetParam().job(1)));
  EXPECT_EQ(collect(*evaluator, 1).size(), 1u);
  EXPECT_TRUE(evaluator->poll(std::chrono::milliseconds(50)).empty());
}

TEST_P(EvaluatorConformance, a_cancelled_job_gives_no_fact) {
  const auto evaluator = GetParam().make();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(evaluator->submit(GetParam().job(i)));
  evaluator->cancel(GetParam().job(9).key);
  evaluator->cancel(sha256("nobody asked for this"));
  const auto facts = collect(*evaluator, 9);
  EXPECT_FALSE(facts.contains(GetParam().job(9).key));
  EXPECT_EQ(facts.size(), 9u);
}

TEST_P(EvaluatorConformance, needs_that_it_lacks_are_refused_at_once) {
  const auto evaluator = GetParam().make();
  Job job = GetParam().job(1);
  job.needs = {"a_chip_that_nobody_has"};
  const auto refused = evaluator->submit(job);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "this evaluator cannot serve the need 'a_chip_that_nobody_has'");
}

TEST_P(EvaluatorConformance, poll_without_jobs_returns_without_waiting_for_ever) {
  const auto evaluator = GetParam().make();
  EXPECT_TRUE(evaluator->poll(std::chrono::milliseconds(1)).empty());
}

TEST_P(EvaluatorConformance, jobs_survive_the_way_through_bytes) {
  const auto evaluator = GetParam().make();
  const auto copy = decode<Job>(encode(GetParam().job(3)));
  ASSERT_TRUE(copy);
  ASSERT_TRUE(evaluator->submit(*copy));
  EXPECT_TRUE(collect(*evaluator, 1).contains(GetParam().job(3).key));
}

}  // namespace ke
