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

TEST(Prices, the_worst_case_covers_a_token_for_each_byte_at_the_highest_price) {
  const Price price{1, 0.1, 1.25, 4, ""};
  const Usage worst = worst_usage(1000, 2, 50);
  EXPECT_EQ(worst, (Usage{1048, 50}));
  EXPECT_EQ(worst_cost(worst, price).picodollars, 1048 * 1'250'000 + 50 * 4'000'000);
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
  EXPECT_TRUE(std::holds_alternative<LlmBudget::Reservation>(budget.reserve({70, 0})));
  EXPECT_EQ(std::get<LlmBudget::Refusal>(budget.reserve({71, 0})), LlmBudget::Refusal::exhausted);
}

TEST(LlmBudget, dollars_are_a_limit_of_their_own) {
  LlmBudget budget({1000, dollar});
  EXPECT_EQ(std::get<LlmBudget::Refusal>(budget.reserve({1, dollar + 1})),
            LlmBudget::Refusal::exhausted);
  EXPECT_TRUE(std::holds_alternative<LlmBudget::Reservation>(budget.reserve({1, dollar})));
  budget.add_spent({0, 1});
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
