#include "core/expression.hpp"

#include <gtest/gtest.h>

namespace ke {
namespace {

std::string outcome(std::string_view text) {
  auto expression = Expression::parse(text);
  if (!expression) return expression.error().message;
  const auto value = expression->evaluate([](std::string_view name) -> std::optional<std::int64_t> {
    if (name == "rows") return 7;
    if (name == "big") return INT64_MAX;
    return std::nullopt;
  });
  return value ? std::to_string(*value) : value.error().message;
}

TEST(Expression, follows_the_precedence_of_c) {
  EXPECT_EQ(outcome("1 + 2 * 3"), "7");
  EXPECT_EQ(outcome("(1 + 2) * 3"), "9");
  EXPECT_EQ(outcome("10 - 4 - 3"), "3");
  EXPECT_EQ(outcome("1 < 2 == 1"), "1");
  EXPECT_EQ(outcome("0 || 2 && 3"), "1");
  EXPECT_EQ(outcome("!rows || rows >= 7"), "1");
  EXPECT_EQ(outcome("-rows + 1"), "-6");
  EXPECT_EQ(outcome("7 % 4"), "3");
}

TEST(Expression, functions) {
  EXPECT_EQ(outcome("ceil_div(rows, 2)"), "4");
  EXPECT_EQ(outcome("ceil_div(8, 2)"), "4");
  EXPECT_EQ(outcome("min(rows, 3) + max(rows, 3)"), "10");
}

TEST(Expression, rounds_up_to_multiples) {
  EXPECT_EQ(outcome("round_up(rows, 4)"), "8");
  EXPECT_EQ(outcome("round_up(8, 4)"), "8");
  EXPECT_EQ(outcome("round_up(big, 2)"), "expression 'round_up(big, 2)': 64-bit overflow");
}

TEST(Expression, an_occupancy_is_looked_up_by_its_text) {
  const auto lookup = [](std::string_view name) -> std::optional<std::int64_t> {
    if (name == "occupancy(rms)") return 3;
    if (name == "n") return 7;
    return std::nullopt;
  };
  const auto expression = Expression::parse("2 * occupancy( rms ) + n");
  ASSERT_TRUE(expression);
  EXPECT_EQ(*expression->evaluate(lookup), 13);
  EXPECT_EQ(expression->names(), (std::vector<std::string>{"n", "occupancy(rms)"}));
  EXPECT_EQ(expression->with_values(lookup), "2 * occupancy(rms)=3 + n=7");
  EXPECT_EQ(outcome("occupancy()"),
            "expression 'occupancy()': missing name of a stage at position 11");
}

TEST(Expression, short_circuit_guards_a_division) { EXPECT_EQ(outcome("0 && 1 / 0"), "0"); }

TEST(Expression, complaints) {
  EXPECT_EQ(outcome("1 +"), "expression '1 +': something is missing at position 4");
  EXPECT_EQ(outcome("(1"), "expression '(1': missing ')' at position 3");
  EXPECT_EQ(outcome("1 2"), "expression '1 2': unexpected text at position 3");
  EXPECT_EQ(outcome("f(1, 2)"), "expression 'f(1, 2)': unknown function at position 3");
  EXPECT_EQ(outcome("x"), "expression 'x': unknown name 'x'");
  EXPECT_EQ(outcome("1 / 0"), "expression '1 / 0': division by zero");
  EXPECT_EQ(outcome("big + 1"), "expression 'big + 1': 64-bit overflow");
  EXPECT_EQ(outcome("99999999999999999999"),
            "expression '99999999999999999999': not a 64-bit integer at position 21");
}

TEST(Expression, long_texts_are_refused_and_not_a_crash) {
  for (const char* term : {"-", "!", "1+", "1||"}) {
    std::string text;
    while (text.size() < 400'000) text += term;
    const auto parsed = Expression::parse(text + "1");
    ASSERT_FALSE(parsed);
    EXPECT_NE(parsed.error().message.find("characters, at most 2048"), std::string::npos);
    EXPECT_LT(parsed.error().message.size(), 200U);
    text.resize(2000 / std::string(term).size() * std::string(term).size());
    const auto allowed = Expression::parse(text + "1");
    ASSERT_TRUE(allowed) << allowed.error().message;
    EXPECT_TRUE(allowed->evaluate({}));
  }
}

TEST(Expression, deep_nesting_is_refused_and_not_a_crash) {
  const std::string deep(1000, '(');
  EXPECT_NE(outcome(deep).find("nested too deeply"), std::string::npos);
}

}  // namespace
}  // namespace ke
