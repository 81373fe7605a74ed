// A record in two places passes the suites of one, and either may be behind the other.

#include "core/mirrored.hpp"
#include "tests/conformance/fact_log_suite.hpp"
#include "tests/conformance/history_suite.hpp"
#include "tests/support/memory_fact_log.hpp"
#include "tests/support/memory_history.hpp"

namespace ke::test {
namespace {

struct Mirrored {
  History& history() { return history_; }
  FactLog& facts() { return facts_; }
  void reopen() {}  // nothing to close

  MemoryHistory local_history;
  MemoryHistory shared_history;
  MemoryFactLog local_facts;
  MemoryFactLog shared_facts;
  MirroredHistory history_{local_history, shared_history};
  MirroredFactLog facts_{local_facts, shared_facts};
};

INSTANTIATE_TYPED_TEST_SUITE_P(Mirrored, HistorySuite, Mirrored);
INSTANTIATE_TYPED_TEST_SUITE_P(Mirrored, FactLogSuite, Mirrored);

TEST(MirroredHistory, goes_on_after_the_last_step_that_both_have) {
  Mirrored both;
  const auto list = sample_steps(4);
  ASSERT_TRUE(both.shared_history.begin(sample_header()));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(both.shared_history.commit(list[i]));
  ASSERT_TRUE(both.history_.begin(sample_header()));
  EXPECT_EQ(*both.history_.committed_steps(), 0);
  for (const StepRecord& step : list) ASSERT_TRUE(both.history_.commit(step));
  EXPECT_EQ(*both.local_history.committed_steps(), 4);
  EXPECT_EQ(*both.shared_history.committed_steps(), 4);
}

TEST(MirroredHistory, refuses_a_step_that_differs_from_the_one_in_the_database) {
  Mirrored both;
  const auto list = sample_steps(1);
  ASSERT_TRUE(both.shared_history.begin(sample_header()));
  ASSERT_TRUE(both.shared_history.commit(list[0]));
  ASSERT_TRUE(both.history_.begin(sample_header()));
  StepRecord other = list[0];
  other.history_hash = digest("other");
  const auto result = both.history_.commit(other);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("step 0 of island 0 (commit 0) is another one"),
            std::string::npos);
  EXPECT_EQ(*both.local_history.committed_steps(), 0);
}

/// Keeps one job whole, as logs do that other hosts reach.
struct FactLogWithJob final : FactLog {
  Result<void> append(const Job& job, const Fact& fact) override { return log.append(job, fact); }
  Result<void> append(const Exchange& exchange) override { return log.append(exchange); }
  Result<std::optional<Fact>> find(const Digest& key) const override { return log.find(key); }
  Result<std::optional<Exchange>> find_exchange(const Digest& key) const override {
    return log.find_exchange(key);
  }
  Result<Digest> record_hash() const override { return log.record_hash(); }
  Result<std::optional<Job>> find_job(const Digest&) const override {
    return std::optional(sample_job(1));
  }
  MemoryFactLog log;
};

TEST(MirroredFactLog, copies_what_only_the_shared_log_has) {
  MemoryFactLog local;
  FactLogWithJob shared;
  MirroredFactLog both(local, shared);
  ASSERT_TRUE(shared.append(sample_job(1), sample_fact(1)));
  ASSERT_TRUE(shared.append(sample_exchange(1)));
  EXPECT_TRUE(both.find(sample_fact(1).key)->has_value());
  EXPECT_TRUE(both.find_exchange(sample_exchange(1).key)->has_value());
  EXPECT_EQ(encode(**local.find(sample_fact(1).key)), encode(sample_fact(1)));
  EXPECT_EQ(encode(**local.find_exchange(sample_exchange(1).key)), encode(sample_exchange(1)));
}

}  // namespace
}  // namespace ke::test
