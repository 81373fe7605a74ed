#pragma once
// What tokens cost. Money is counted in whole picodollars, so that sums do not depend on their
// order: a dollar for a million tokens is 10^6 picodollars for one.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "operators/llm/client/answer.hpp"

namespace ke {

/// What a call takes from a budget.
struct LlmCost {
  std::int64_t tokens = 0;
  std::int64_t picodollars = 0;
  double dollars() const { return static_cast<double>(picodollars) * 1e-12; }
  LlmCost& operator+=(const LlmCost& other) {
    tokens += other.tokens;
    picodollars += other.picodollars;
    return *this;
  }
  LlmCost& operator-=(const LlmCost& other) {
    tokens -= other.tokens;
    picodollars -= other.picodollars;
    return *this;
  }
  friend bool operator==(const LlmCost&, const LlmCost&) = default;
};

/// Dollars per million tokens.
struct Price {
  double input = 0;
  double cached = 0;         ///< input read from the provider's cache
  double cache_written = 0;  ///< input written to the provider's cache
  double output = 0;
  std::string date;  ///< when the list said so (year-month); "" = given by the user
};

/// The list price of a model, by its name or a dated snapshot of it (gpt-5-mini-2025-08-07);
/// nothing when it is not listed. Lists go out of date: an experiment may give its own price.
std::optional<Price> list_price(std::string_view model);

LlmCost cost_of(const Usage& usage, const Price& price);

/// No call costs more: a token stands for at least one byte of the prompt, and a message for at
/// most 16 tokens of its own.
Usage worst_usage(std::size_t prompt_bytes, std::size_t messages, std::int64_t max_output_tokens);
LlmCost worst_cost(const Usage& worst, const Price& price);
/// A guess for calls of which the provider did not say it: three bytes a token.
Usage guessed_usage(std::size_t prompt_bytes, std::size_t reply_bytes);

}  // namespace ke
