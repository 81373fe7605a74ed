#pragma once
// Conformance suite for every History. A fixture provides `std::unique_ptr<History>& store()` and
// `reopen()`, which closes and reopens the store if that means something.

#include <gtest/gtest.h>

#include "tests/conformance/samples.hpp"

namespace ke::test {

template <typename Fixture>
class HistorySuite : public testing::Test {
 protected:
  History& history() { return fixture_.history(); }
  /// Commits steps [0, count) and returns the last hash.
  Digest commit_steps(std::int64_t count) {
    Digest hash = sample_header().first_hash();
    EXPECT_TRUE(history().begin(sample_header()));
    for (const StepRecord& record : sample_steps(count)) {
      const auto result = history().commit(record);
      EXPECT_TRUE(result) << result.error().message;
      hash = record.history_hash;
    }
    return hash;
  }
  Fixture fixture_;
};

TYPED_TEST_SUITE_P(HistorySuite);

TYPED_TEST_P(HistorySuite, begins_once_and_goes_on_with_an_equal_header) {
  ASSERT_TRUE(this->history().begin(sample_header()));
  this->fixture_.reopen();
  EXPECT_TRUE(this->history().begin(sample_header()));
}

TYPED_TEST_P(HistorySuite, begins_with_a_header_that_says_nothing) {
  const auto result = this->history().begin({});
  EXPECT_TRUE(result) << result.error().message;
  this->fixture_.reopen();
  EXPECT_TRUE(this->history().begin({}));
}

TYPED_TEST_P(HistorySuite, refuses_another_run) {
  ASSERT_TRUE(this->history().begin(sample_header()));
  RunHeader other = sample_header();
  other.seed = 8;
  const auto result = this->history().begin(other);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().failure, Failure::store);
  EXPECT_NE(result.error().message.find("begun with seed 7, not 8"), std::string::npos);
  other = sample_header();
  other.config_text += "x = 1\n";
  other.config_id = sha256(other.config_text);
  EXPECT_FALSE(this->history().begin(other));
}

TYPED_TEST_P(HistorySuite, keeps_hashes_by_step) {
  const Digest last = this->commit_steps(5);
  this->fixture_.reopen();
  EXPECT_EQ(*this->history().committed_steps(), 5);
  EXPECT_EQ(*this->history().hash_at(4), last);
  EXPECT_EQ(*this->history().hash_at(5), std::nullopt);
  EXPECT_EQ(*this->history().hash_at(-1), std::nullopt);
}

TYPED_TEST_P(HistorySuite, refuses_steps_out_of_order) {
  const Digest last = this->commit_steps(2);
  EXPECT_FALSE(this->history().commit(sample_step(1, last)));
  const auto gap = this->history().commit(sample_step(3, last));
  ASSERT_FALSE(gap);
  EXPECT_NE(gap.error().message.find("step 3 committed out of order: 2 is next"),
            std::string::npos);
  EXPECT_TRUE(this->history().commit(sample_step(2, last)));
}

TYPED_TEST_P(HistorySuite, a_refused_step_leaves_nothing_behind) {
  const Digest last = this->commit_steps(2);
  StepRecord bad = sample_step(2, last);
  bad.events.back().challenger = {99, 0, 0};
  const auto result = this->history().commit(bad);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("99.0.0"), std::string::npos);
  EXPECT_EQ(*this->history().committed_steps(), 2);
  EXPECT_TRUE(this->history().commit(sample_step(2, last)));
}

TYPED_TEST_P(HistorySuite, refuses_unknown_ancestors) {
  this->commit_steps(1);
  StepRecord bad = sample_step(1, {});
  auto child = sample_candidate({1, 0, 0});
  child->ancestors = {{{5, 5, 5}, ParentRole::parent}};
  bad.candidates[0] = child;
  const auto result = this->history().commit(bad);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("5.5.5"), std::string::npos);
}

TYPED_TEST_P(HistorySuite, a_stop_is_kept_until_the_run_goes_on) {
  const Digest last = this->commit_steps(2);
  EXPECT_EQ(this->history().stop()->has_value(), false);
  StopRecord stop{"interrupted", 4, 4, LogicalId{1, 0, 0}, {}};
  stop.history_hash = stop.chained(last);
  ASSERT_TRUE(this->history().finish(stop));
  this->fixture_.reopen();
  const auto stored = *this->history().stop();
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->reason, "interrupted");
  EXPECT_EQ(stored->proposals, 4);
  EXPECT_EQ(stored->champion, stop.champion);
  EXPECT_EQ(stored->history_hash, stop.history_hash);
  ASSERT_TRUE(this->history().commit(sample_step(2, last)));
  EXPECT_EQ(this->history().stop()->has_value(), false);
}

TYPED_TEST_P(HistorySuite, a_verified_figure_can_be_given_again_but_not_for_strangers) {
  this->commit_steps(1);
  VerifiedFigure figure{{0, 0, 0}, "naive", "bench", 2.5, {2.4, 2.6}, digest("v"), ""};
  EXPECT_TRUE(this->history().add_verified(figure));
  EXPECT_TRUE(this->history().add_verified(figure));
  figure.candidate = {7, 0, 0};
  EXPECT_FALSE(this->history().add_verified(figure));
}

REGISTER_TYPED_TEST_SUITE_P(HistorySuite, begins_once_and_goes_on_with_an_equal_header,
                            begins_with_a_header_that_says_nothing, refuses_another_run,
                            keeps_hashes_by_step, refuses_steps_out_of_order,
                            a_refused_step_leaves_nothing_behind, refuses_unknown_ancestors,
                            a_stop_is_kept_until_the_run_goes_on,
                            a_verified_figure_can_be_given_again_but_not_for_strangers);

}  // namespace ke::test
