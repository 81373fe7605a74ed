#include "operators/llm/client/budget.hpp"

#include <gtest/gtest.h>

#include "core/random_stream.hpp"

namespace ke {
namespace {

constexpr std::int64_t dollar = 1'000'000'000'000;

TEST(Prices, a_call_costs_what_the_list_says) {
  const auto price = list_price("gpt-5-mini-2025-08-07");
  ASSERT_TRUE(price);
  // 1000 read of which 400 cached, 100 written: 600 * 0.25 + 400 * 0.025 + 100 * 2 microdollars.
  EXPECT_EQ(cost_of({1000, 100, 400, 0, 50}, *price).picodollars, 360'000'000);
  EXPECT_EQ(cost_of({1000, 100, 400, 0, 50}, *price).tokens, 1100);
  EXPECT_DOUBLE_EQ(cost_of({1'000'000, 0, 0, 0, 0}, *price).dollars(), 0.25);
  EXPECT_DOUBLE_EQ(cost_of({1'000'000, 0, 0, 1'000'000, 0}, *price).dollars(), 0.3125);
}

TEST(Prices, only_the_model_itself_and_its_snapshots_are_known) {
  EXPECT_TRUE(list_price("claude-sonnet-4-20250514"));
  EXPECT_EQ(list_price("claude-sonnet-4-6")->output, 15);
  for (const char* model :
       {"gpt-5.6", "gpt-5-mini-pro", "gpt-5-mini-2", "gpt-4.1-mini", "gpt", "", "my-model"}) {
    EXPECT_FALSE(list_price(model)) << model;
  }
}

TEST(Prices, the_most_that_a_call_costs_counts_input_at_its_highest_price) {
  const Price price{1, 0.1, 1.25, 4, ""};
  EXPECT_EQ(worst_cost({1000, 50}, price).picodollars, 1000 * 1'250'000 + 50 * 4'000'000);
  EXPECT_EQ(worst_cost({1000, 0, 400}, price).picodollars, 600 * 1'250'000 + 400 * 100'000);
}

TEST(Prices, the_rest_of_a_budget_pays_for_an_answer_of_some_length) {
  const Price price{1, 0.1, 1.25, 4, ""};
  // 1000 tokens of input cost 1250 microdollars, each token of output 4.
  EXPECT_EQ(affordable_output({1'000'000, 2'000'000'000}, {1000}, price), 187);
  EXPECT_EQ(affordable_output({1100, dollar}, {1000}, price), 100);
  EXPECT_LT(affordable_output({1'000'000, 1'000'000'000}, {1000}, price), 0);
}

TEST(CallRates, take_a_token_for_four_bytes_before_the_first_count) {
  const CallRates rates;
  EXPECT_EQ(rates.guess(4000, 200), (Usage{1000, 50}));
  EXPECT_EQ(rates.most(4000, 300), (Usage{2000, 300}));
  EXPECT_EQ(rates.least_output(800), 100);
}

TEST(CallRates, learn_from_counted_calls) {
  CallRates rates;
  rates.learn(3000, 1000, {1000, 200, 900});  // three bytes a token in, five out
  rates.learn(6000, 500, {2000, 100, 1000});
  EXPECT_EQ(rates.guess(300, 50), (Usage{100, 10}));
  EXPECT_EQ(rates.most(300, 40), (Usage{100, 40, 50}));  // half of the second prompt was cached
  EXPECT_EQ(rates.least_output(800), 200);
  for (int i = 0; i < 20; ++i) rates.learn(4000, 100, {1000, 25});
  EXPECT_EQ(rates.guess(4000, 400), (Usage{1000, 100}));
  EXPECT_EQ(rates.least_output(800), 25);
}

TEST(CallRates, tell_a_prompt_of_which_the_server_read_little) {
  CallRates rates;
  EXPECT_EQ(rates.sent_tokens(7700, 193), 2567);
  EXPECT_EQ(rates.sent_tokens(7700, 2006), 0);
  EXPECT_EQ(rates.sent_tokens(7700, 0), 0);    // nothing was counted
  EXPECT_EQ(rates.sent_tokens(1900, 100), 0);  // shorter prompts fit in any window
  rates.learn(4000, 100, {2000, 25});
  EXPECT_EQ(rates.sent_tokens(16'000, 2048), 8000);
  EXPECT_EQ(rates.sent_tokens(16'000, 4100), 0);
}

TEST(LlmBudget, what_is_reserved_counts_until_it_is_settled) {
  LlmBudget budget({100, dollar});
  auto first = budget.reserve({80, 0});
  ASSERT_TRUE(std::holds_alternative<LlmBudget::Reservation>(first));
  EXPECT_EQ(std::get<LlmBudget::Refusal>(budget.reserve({21, 0})), LlmBudget::Refusal::busy);
  EXPECT_EQ(std::get<LlmBudget::Refusal>(budget.reserve({101, 0})), LlmBudget::Refusal::exhausted);
  std::get<LlmBudget::Reservation>(first).settle({30, 5});
  EXPECT_EQ(budget.spent(), (LlmCost{30, 5}));
  EXPECT_EQ(budget.reserved(), LlmCost{});
  EXPECT_DOUBLE_EQ(budget.spent_share(), 0.3);
  EXPECT_TRUE(std::holds_alternative<LlmBudget::Reservation>(budget.reserve({70, 0})));
  EXPECT_EQ(std::get<LlmBudget::Refusal>(budget.reserve({71, 0})), LlmBudget::Refusal::exhausted);
}

TEST(LlmBudget, dollars_are_a_limit_of_their_own) {
  LlmBudget budget({1000, dollar});
  EXPECT_EQ(std::get<LlmBudget::Refusal>(budget.reserve({1, dollar + 1})),
            LlmBudget::Refusal::exhausted);
  EXPECT_TRUE(std::holds_alternative<LlmBudget::Reservation>(budget.reserve({1, dollar})));
  budget.add_spent({0, dollar / 2});
  EXPECT_DOUBLE_EQ(budget.spent_share(), 0.5);
  EXPECT_EQ(std::get<LlmBudget::Refusal>(budget.reserve({1, dollar})),
            LlmBudget::Refusal::exhausted);
}

TEST(LlmBudget, a_reservation_is_settled_once_and_given_back_when_it_is_dropped) {
  LlmBudget budget({100, dollar});
  {
    auto held = std::get<LlmBudget::Reservation>(budget.reserve({50, 7}));
    auto moved = std::move(held);
    EXPECT_EQ(budget.reserved(), (LlmCost{50, 7}));
    moved.settle({10, 1});
    moved.settle({10, 1});
    auto dropped = std::get<LlmBudget::Reservation>(budget.reserve({20, 0}));
  }
  EXPECT_EQ(budget.spent(), (LlmCost{10, 1}));
  EXPECT_EQ(budget.reserved(), LlmCost{});
}

TEST(LlmBudget, never_passes_its_limits_in_any_order_of_calls) {
  LlmBudget budget({5000, dollar});
  RandomStream random({1, 0, 0, 0, Purpose::test});
  std::vector<LlmBudget::Reservation> held;
  LlmCost paid;
  for (int i = 0; i < 2000; ++i) {
    if (held.empty() || random.below(2) == 0) {
      const auto tokens = static_cast<std::int64_t>(random.below(200));
      auto got = budget.reserve({tokens, tokens * 1000});
      if (auto* one = std::get_if<LlmBudget::Reservation>(&got)) held.push_back(std::move(*one));
    } else {
      const auto tokens = static_cast<std::int64_t>(
          random.below(static_cast<std::uint64_t>(held.back().held().tokens + 1)));
      held.back().settle({tokens, tokens * 1000});
      held.pop_back();
      paid += {tokens, tokens * 1000};
    }
    ASSERT_LE(budget.spent().tokens + budget.reserved().tokens, 5000);
    ASSERT_EQ(budget.spent(), paid);
  }
  EXPECT_GT(paid.tokens, 4000);
}

}  // namespace
}  // namespace ke
