#pragma once
// Prices of tokens. Money is counted in whole picodollars, so that sums do not depend on their
// order: one dollar per million tokens is 10^6 picodollars per token.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "operators/llm/client/answer.hpp"

namespace ke {

/// A call's use of a budget.
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
  std::string date;  ///< year-month of the list; "" = given by the user
};

/// The list price of a model, by name or dated snapshot (gpt-5-mini-2025-08-07); nothing when
/// unlisted. Lists become outdated: an experiment may set its own price.
std::optional<Price> list_price(std::string_view model);

LlmCost cost_of(const Usage& usage, const Price& price);

/// Upper bound for a call: a prompt token has at least one byte, a message adds at most 16 tokens.
Usage worst_usage(std::size_t prompt_bytes, std::size_t messages, std::int64_t max_output_tokens);
LlmCost worst_cost(const Usage& worst, const Price& price);
/// An estimate for calls without a report: three bytes per token.
Usage guessed_usage(std::size_t prompt_bytes, std::size_t reply_bytes);

}  // namespace ke
